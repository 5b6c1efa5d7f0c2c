package dev.fbf.loadtest.paper.clicks;

import java.util.SplittableRandom;

/**
 * The rate of clicks over time: steady, but for bursts of four times the rate that come every two minutes on average and last
 * eight seconds on average, as when an advertisement is shown to the viewers of one broadcast. They are short beside the
 * window, so that they fill a generation or a slice of a filter more than its neighbours, and the window a little.
 */
final class Bursts {

    static final double FACTOR = 4;
    private static final double MEAN_SECONDS = 8;
    private static final double SECONDS_BETWEEN = 112;

    /** The mean rate over the rate between bursts. */
    private static final double MEAN = (SECONDS_BETWEEN + FACTOR * MEAN_SECONDS) / (SECONDS_BETWEEN + MEAN_SECONDS);

    private final SplittableRandom random;
    private boolean burst;

    Bursts(SplittableRandom random) {
        this.random = random;
    }

    /** Moves on by one slice and returns the rate in it, over the mean rate. */
    double next() {
        double mean = burst ? MEAN_SECONDS : SECONDS_BETWEEN;
        if (random.nextDouble() < Demand.SLICE_SECONDS / mean) {
            burst = !burst;
        }
        return (burst ? FACTOR : 1) / MEAN;
    }

    boolean isBurst() {
        return burst;
    }
}
