package dev.fbf.loadtest.paper.clicks;

import java.time.Duration;

/**
 * The load that every contender is sized for.
 *
 * @param profile the clicks over time, without their duplicates
 * @param clicks the most of them in a window
 * @param arrivals the clicks and duplicates of a window, on average
 * @param duplicates the share of duplicates among the arrivals
 */
record Demand(Profile profile, long clicks, double arrivals, double duplicates) {

    /** A window is ten minutes, as by default in fbf, in slices of 0.6 s: a contender is told the time once a slice. */
    static final int SLICES = 1_000;

    static final Duration WINDOW = Duration.ofMinutes(10);
    static final long SLICE_MILLIS = WINDOW.toMillis() / SLICES;
    static final double SLICE_SECONDS = SLICE_MILLIS / 1e3;

    /** The slices of a period, where so many periods are a window: rounded up, so that they are never shorter than one. */
    static int period(int periodsOfWindow) {
        return -Math.floorDiv(-SLICES, periodsOfWindow);
    }

    /** The most clicks of so many slices, if the fullest window brings them evenly. */
    double clicksIn(double slices) {
        return clicks * slices / SLICES;
    }

    long bytes(double bitsAClick) {
        return Math.round(clicks * bitsAClick / Byte.SIZE);
    }

    double bitsAClick(long bytes) {
        return (double) bytes * Byte.SIZE / clicks;
    }
}
