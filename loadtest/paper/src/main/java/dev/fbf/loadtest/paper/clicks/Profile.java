package dev.fbf.loadtest.paper.clicks;

import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/**
 * The new clicks of a stream over time. In short periods a burst shows: a generation that holds one is much fuller than the
 * others, and has nearly all of the false positives.
 */
final class Profile {

    /** Of each slice the number of new clicks in those before it; one more behind the last. */
    private final long[] before;

    Profile(int[] clicksOfSlice) {
        before = new long[clicksOfSlice.length + 1];
        for (int slice = 0; slice < clicksOfSlice.length; slice++) {
            before[slice + 1] = before[slice] + clicksOfSlice[slice];
        }
    }

    int slices() {
        return before.length - 1;
    }

    /** The new clicks from one slice to another, exclusive; there are none before the first and behind the last. */
    long clicks(int from, int to) {
        return before[Math.max(0, Math.min(to, slices()))] - before[Math.max(0, Math.min(from, slices()))];
    }

    /** The new clicks of the fullest window. */
    long mostInWindow() {
        return IntStream.rangeClosed(0, Math.max(0, slices() - Demand.SLICES))
                .mapToLong(slice -> clicks(slice, slice + Demand.SLICES))
                .max()
                .orElseThrow();
    }

    /** The mean of something that depends on the clicks of a period, over all whole periods of so many slices. */
    double mean(int period, DoubleUnaryOperator ofClicks) {
        return IntStream.range(0, slices() / period)
                .mapToDouble(i -> ofClicks.applyAsDouble((double) clicks(i * period, (i + 1) * period)))
                .average()
                .orElseThrow();
    }
}
