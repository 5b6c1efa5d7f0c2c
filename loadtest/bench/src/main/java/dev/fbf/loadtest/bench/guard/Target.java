package dev.fbf.loadtest.bench.guard;

import java.util.Locale;

/**
 * What we want a ratio to be.
 *
 * @param atLeast whether the bound is the lowest that will do, and not the highest
 * @param bound belongs to what will do
 */
record Target(boolean atLeast, double bound) {

    static Target atLeast(double bound) {
        return new Target(true, bound);
    }

    static Target atMost(double bound) {
        return new Target(false, bound);
    }

    boolean admits(double ratio) {
        return atLeast ? ratio >= bound : ratio <= bound;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s %.2f", atLeast ? "≥" : "≤", bound);
    }
}
