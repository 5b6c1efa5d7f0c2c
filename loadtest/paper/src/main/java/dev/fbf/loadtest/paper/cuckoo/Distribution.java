package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.harness.pages.Plot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/** Sampled values, as a cumulative distribution. */
final class Distribution {

    private static final int POINTS = 100;

    private final double[] sorted;

    Distribution(DoubleStream values) {
        sorted = values.sorted().toArray();
    }

    double mean() {
        return Arrays.stream(sorted).average().orElseThrow();
    }

    double most() {
        return sorted[sorted.length - 1];
    }

    /** The share of values that are less. */
    double below(double value) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < value) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return (double) low / sorted.length;
    }

    double above(double value) {
        return 1 - below(Math.nextUp(value));
    }

    /** The largest difference of the shares up to any value (Kolmogorov and Smirnov). */
    double distance(Distribution other) {
        double most = 0;
        for (double value : sorted) {
            most = Math.max(most, Math.abs(below(value) - other.below(value)));
            most = Math.max(most, Math.abs(above(value) - other.above(value)));
        }
        return most;
    }

    Plot.Line line(String name, boolean dashed) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int i = 1; i <= POINTS; i++) {
            x.add(sorted[Math.min(sorted.length - 1, i * sorted.length / POINTS)]);
            y.add((double) i / POINTS);
        }
        return new Plot.Line(name, x, y, dashed);
    }
}
