package dev.fbf.loadtest.harness;

import java.util.Locale;

/**
 * A bound that a figure is to keep.
 *
 * @param atLeast whether it is the lowest that is admitted, else the highest
 * @param value is admitted itself
 */
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
        return String.format(Locale.ROOT, "%s %.2f", atLeast ? "≥" : "≤", value);
    }
}
