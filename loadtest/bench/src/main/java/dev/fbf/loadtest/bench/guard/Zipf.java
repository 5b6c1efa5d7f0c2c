package dev.fbf.loadtest.bench.guard;

import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Numbers of which the first come much more often than the last. Thread-safe. */
final class Zipf {

    /** That of the Yahoo! Cloud Serving Benchmark. */
    private static final double EXPONENT = 0.99;

    /** The probability of each number and all before it. */
    private final double[] cumulative;

    Zipf(int numbers) {
        cumulative = new double[numbers];
        double sum = 0;
        for (int i = 0; i < numbers; i++) {
            sum += Math.pow(i + 1.0, -EXPONENT);
            cumulative[i] = sum;
        }
        for (int i = 0; i < numbers; i++) {
            cumulative[i] /= sum;
        }
    }

    /** From 0. */
    int next(RandomGenerator random) {
        int found = Arrays.binarySearch(cumulative, random.nextDouble());
        return Math.min(cumulative.length - 1, found < 0 ? -found - 1 : found);
    }
}
