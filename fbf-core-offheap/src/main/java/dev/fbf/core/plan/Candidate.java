package dev.fbf.core.plan;

import java.time.Duration;

/**
 * A possible shape of a filter, with the highest load of its lines. Rate, window and number of lines affect the false positive probability
 * only through the load per line. So the number of lines is proportional to rate and window.
 *
 * @param highestLoad the maximum elements per line and period for a given false positive probability
 */
record Candidate(Rule rule, int laneBits, int past, Spread spread, double highestLoad) {

    /** Minimum number of lines of a file, 32 KiB. With fewer lines, the model's assumption that lines fill independently would not hold. */
    private static final double MIN_LINES_OF_FILE = 512;

    /**
     * Number of bisections, which determine the load to a billionth of an element per slot. Not more, because each start of an application
     * searches all shapes.
     */
    private static final int BISECTIONS = 32;

    /** Maximum number of lines of a file, 16 PiB: a larger one is never an option. */
    private static final double MAX_LINES_OF_FILE = 1L << 48;

    /** Computes the highest load of a shape. */
    static Candidate of(Rule rule, int laneBits, int past, int probeLines, int probesPerLine, double target) {
        Spread spread = new Spread(probeLines, probesPerLine, FilterPlan.LINE_BITS / laneBits);
        return new Candidate(rule, laneBits, past, spread, highestLoad(rule, spread, past, target));
    }

    private static double highestLoad(Rule rule, Spread spread, int past, double target) {
        double low = 0;
        double high = 4.0 * spread.slots();
        for (int i = 0; i < BISECTIONS; i++) {
            double load = (low + high) / 2;
            if (rule.fpp(spread, load, past, 1) <= target) {
                low = load;
            } else {
                high = load;
            }
        }
        return low;
    }

    boolean isPossible(FilterSizing sizing) {
        return linesNeeded(sizing) <= MAX_LINES_OF_FILE;
    }

    FilterPlan plan(FilterSizing sizing) {
        return new FilterPlan(
                sizing,
                sizing,
                false,
                rule,
                laneBits,
                past,
                (long) linesNeeded(sizing),
                spread,
                period(sizing.retryWindow()));
    }

    private double linesNeeded(FilterSizing sizing) {
        double elements = elementsPerPeriod(sizing, spread, period(sizing.retryWindow()));
        return Math.max(MIN_LINES_OF_FILE, Math.ceil(elements * spread.lines() / highestLoad));
    }

    static double elementsPerPeriod(FilterSizing sizing, Spread spread, Duration period) {
        double operations = sizing.expectedOperationsPerSecond() * period.toMillis() / 1000.0;
        return Math.max(1, operations * sizing.elementsPerOperation(spread));
    }

    /** Returns the period in whole milliseconds, rounded up so that (N + 1)·t is never shorter than the retry window. */
    private Duration period(Duration retryWindow) {
        return Duration.ofMillis(-Math.floorDiv(-retryWindow.toNanos(), (past + 1L) * 1_000_000));
    }
}
