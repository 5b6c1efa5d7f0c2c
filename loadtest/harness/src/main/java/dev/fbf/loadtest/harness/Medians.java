package dev.fbf.loadtest.harness;

import java.util.Collection;

/** The middle of some numbers. */
public final class Medians {

    private Medians() {}

    /**
     * Finds the middle.
     *
     * @return the one in the middle, or the mean of the two that are
     */
    public static double of(Collection<Double> numbers) {
        double[] sorted =
                numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
