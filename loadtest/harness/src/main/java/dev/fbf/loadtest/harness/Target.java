package dev.fbf.loadtest.harness;

/**
 * What is wanted of a figure.
 *
 * @param name of the figure
 * @param wanted the bound
 * @param measured the figure
 * @param met whether the bound admits it
 */
public record Target(String name, String wanted, double measured, boolean met) {

    public static Target of(String name, Bound wanted, double measured) {
        return new Target(name, wanted.toString(), measured, wanted.admits(measured));
    }

    public static Target atLeast(String name, double bound, double measured) {
        return of(name, Bound.atLeast(bound), measured);
    }

    public static Target atMost(String name, double bound, double measured) {
        return of(name, Bound.atMost(bound), measured);
    }
}
