package dev.fbf.core.filter;

import java.time.Duration;

/**
 * What a user states about a scope, from which its filter is derived: see {@link #plan()}.
 *
 * @param expectedOperationsPerSecond the highest steady rate of operations, {@value #MIN_RATE} to {@value #MAX_RATE};
 *     above it the filter still forgets nothing, but is wrong more often
 * @param retryWindow how long after an operation its retries may come, 100 milliseconds to 30 days
 * @param falsePositiveProbability the share of new operations that may be taken for a retry, {@value #MIN_FPP} to
 *     {@value #MAX_FPP}
 * @param maxBytes the most that the scope's files may take
 */
public record FilterSizing(
        double expectedOperationsPerSecond, Duration retryWindow, double falsePositiveProbability, long maxBytes) {

    /** No bound but the disk's. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    static final double MIN_RATE = 0.001;
    static final double MAX_RATE = 10_000_000;
    static final double MIN_FPP = 1e-12;
    static final double MAX_FPP = 0.1;
    static final Duration MIN_WINDOW = Duration.ofMillis(100);
    static final Duration MAX_WINDOW = Duration.ofDays(30);

    /** A thousand operations a second, retried for ten minutes, one in a billion mistaken. */
    public static final FilterSizing DEFAULT = new FilterSizing(1_000, Duration.ofMinutes(10), 1e-9);

    /** Sizing with no bound on memory. */
    public FilterSizing(double expectedOperationsPerSecond, Duration retryWindow, double falsePositiveProbability) {
        this(expectedOperationsPerSecond, retryWindow, falsePositiveProbability, UNLIMITED);
    }

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException naming the value and its range
     */
    public FilterSizing {
        between("expectedOperationsPerSecond", expectedOperationsPerSecond, MIN_RATE, MAX_RATE);
        between("falsePositiveProbability", falsePositiveProbability, MIN_FPP, MAX_FPP);
        if (retryWindow.compareTo(MIN_WINDOW) < 0 || retryWindow.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException(
                    "retryWindow=" + retryWindow + ": must be from " + MIN_WINDOW + " to " + MAX_WINDOW);
        }
    }

    /**
     * Derives the smallest filter that keeps the promise, by the exact model, and grows by arenas.
     *
     * @return the plan
     */
    public FilterPlan plan() {
        return plan(Adaptation.ARENAS);
    }

    /**
     * Derives the smallest filter that keeps the promise, by the exact model.
     *
     * @param adaptation what the filter does when the load is another
     * @return the plan
     */
    public FilterPlan plan(Adaptation adaptation) {
        return switch (adaptation) {
            case NONE -> FilterPlanner.plan(this);
            case ARENAS -> Growth.share(this, expectedOperationsPerSecond, falsePositiveProbability);
            case GENERATIONS -> FilterPlanner.planToDouble(this).partOf(this, adaptation);
        };
    }

    /**
     * Derives the smallest filter with a given rule and number of generations: to compare, or to reproduce the paper.
     *
     * @param rule where an operation is put, and what makes it present
     * @param past N, the number of past generations, 1 to 61
     * @return the plan
     */
    public FilterPlan plan(Rule rule, int past) {
        if (past < 1 || past > 61) {
            throw new IllegalArgumentException("past=" + past + ": must be from 1 to 61");
        }
        return FilterPlanner.plan(this, rule, past);
    }

    private static void between(String name, double value, double min, double max) {
        if (!(value >= min && value <= max)) { // written so that NaN fails
            throw new IllegalArgumentException(name + "=" + value + ": must be from " + min + " to " + max);
        }
    }
}
