package dev.fbf.loadtest.paper.clicks;

import java.time.Duration;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * The load that every contender is sized for: the new clicks of a stream over time. In short periods a burst shows: a generation that
 * holds one is much fuller than the others, and has nearly all of the false positives.
 */
final class Demand {

    /** A window is ten minutes, as by default in fbf, in slices of 0.6 s: a contender is told the time once a slice. */
    static final int SLICES = 1_000;

    static final Duration WINDOW = Duration.ofMinutes(10);
    static final long SLICE_MILLIS = WINDOW.toMillis() / SLICES;
    static final double SLICE_SECONDS = SLICE_MILLIS / 1e3;

    /** The number of new clicks before each slice; the last element is the number of all. */
    private final long[] before;

    private final long clicks;

    Demand(int... clicksOfSlice) {
        before = new long[clicksOfSlice.length + 1];
        for (int slice = 0; slice < clicksOfSlice.length; slice++) {
            before[slice + 1] = before[slice] + clicksOfSlice[slice];
        }
        clicks = IntStream.rangeClosed(0, Math.max(0, clicksOfSlice.length - SLICES))
                .mapToLong(slice -> before[Math.min(clicksOfSlice.length, slice + SLICES)] - before[slice])
                .max()
                .orElseThrow();
    }

    /** The slices of a period, where so many periods are a window: rounded up, so that they are never shorter than one. */
    static int period(int periodsOfWindow) {
        return -Math.floorDiv(-SLICES, periodsOfWindow);
    }

    /** The new clicks of the fullest window. */
    long clicks() {
        return clicks;
    }

    /** The most clicks of so many slices, if the fullest window brings them evenly. */
    double clicksIn(double slices) {
        return clicks * slices / SLICES;
    }

    /** The mean of something that depends on the clicks of a period, over all whole periods of so many slices. */
    double mean(int period, DoubleUnaryOperator ofClicks) {
        return IntStream.range(0, (before.length - 1) / period)
                .mapToDouble(i -> ofClicks.applyAsDouble((double) before[(i + 1) * period] - before[i * period]))
                .average()
                .orElseThrow();
    }

    long bytes(double bitsAClick) {
        return Math.round(clicks * bitsAClick / Byte.SIZE);
    }

    double bitsAClick(long bytes) {
        return (double) bytes * Byte.SIZE / clicks;
    }
}
