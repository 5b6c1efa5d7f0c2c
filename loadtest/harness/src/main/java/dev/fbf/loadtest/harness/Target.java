package dev.fbf.loadtest.harness;

/**
 * What is wanted of a figure.
 *
 * @param wanted the bound, for people
 * @param met whether the bound admits what was measured
 */
public record Target(String name, String wanted, double measured, boolean met) {

    /** A bound that is admitted itself: the lowest, or else the highest. */
    public record Bound(boolean atLeast, double value) {

        public static Bound atLeast(double value) {
            return new Bound(true, value);
        }

        public static Bound atMost(double value) {
            return new Bound(false, value);
        }

        public boolean admits(double figure) {
            return atLeast ? figure >= value : figure <= value;
        }

        @Override
        public String toString() {
            return Table.format("%s %.2f", atLeast ? "≥" : "≤", value);
        }
    }

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
