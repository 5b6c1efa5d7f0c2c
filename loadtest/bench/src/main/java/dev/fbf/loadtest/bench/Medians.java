package dev.fbf.loadtest.bench;

import java.util.List;

/** The middle of some numbers. */
final class Medians {

    private Medians() {}

    static double of(List<Double> numbers) {
        double[] sorted =
                numbers.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
