package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.pages.Plot;
import java.util.Map;
import java.util.function.LongFunction;

/** Figure 16: a counter behind a recyclable Bloom filter, and behind a forgetful one of the same memory. */
final class RecyclableComparison extends Experiment {

    private static final int POSITIONS = 500;
    private static final int PROBES = 3;
    private static final int PAST = 1;
    private static final int PERIOD = 5;
    private static final int OPERATIONS = 2_000;
    private static final double RATE = 5;
    private static final double TARGET = 0.02;
    private static final double WINDOW = (PAST + 1.0) * PERIOD;
    private static final double[] RETRIED = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};

    RecyclableComparison() {
        super(16, "retried");
    }

    @Override
    Plot measure() {
        for (double retried : RETRIED) {
            measure("recyclable", retried, RecyclableComparison::recyclable);
            measure(Rule.CORRECTED.toString(), retried, seed -> memory(Rule.CORRECTED, seed));
            measure(Rule.SINGLE.toString(), retried, seed -> memory(Rule.SINGLE, seed));
        }
        figure(
                "growth",
                over(seed -> overcount(1, seed)).mean()
                        / over(seed -> overcount(0.1, seed)).mean());
        figure(
                "forgetful",
                each(rule -> Map.of(
                        "few", errors(0.01, seed -> memory(rule, seed)),
                        "some", errors(0.2, seed -> memory(rule, seed)),
                        "all", errors(1, seed -> memory(rule, seed)))));
        return new Plot(
                "Figure 16: error of a counter (1,500 bits in all, k = 3)",
                "operations retried, percent",
                true,
                "error, percent",
                lines(name -> name.endsWith("size of the error")));
    }

    /** How much more it counts than without any retries. */
    private static double overcount(double retried, long seed) {
        return error(retried, seed, recyclable(seed)) - error(0, seed, recyclable(seed));
    }

    private void measure(String name, double retried, LongFunction<Memory> memory) {
        double percent = retried * 100;
        Errors errors = errors(retried, memory);
        measured(name + ", size of the error", percent, errors.size);
        measured(name, percent, errors.error);
    }

    /** The error as a share, and its size in percent. */
    private record Errors(Spread error, Spread size) {}

    private Errors errors(double retried, LongFunction<Memory> memory) {
        return new Errors(
                over(seed -> error(retried, seed, memory.apply(seed))),
                over(seed -> 100 * Math.abs(error(retried, seed, memory.apply(seed)))));
    }

    private static double error(double retried, long seed, Memory memory) {
        return new RetriedCounter(OPERATIONS, RATE, retried, WINDOW, seed).error(memory);
    }

    private static Memory recyclable(long seed) {
        return new RecyclableFilter((PAST + 2) * POSITIONS, PROBES, TARGET, seed);
    }

    private static Memory memory(Rule rule, long seed) {
        return Memory.of(new SimulatedFilter(rule, POSITIONS, PROBES, PAST, seed), PERIOD);
    }
}
