package dev.fbf.core.filter;

import dev.fbf.core.model.Spread;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.Locale;

/**
 * What a user states about a scope, from which its filter is derived: see {@link #plan()}.
 *
 * @param expectedOperationsPerSecond the highest steady rate of operations, {@value #MIN_RATE} to {@value #MAX_RATE};
 *     above it the filter grows, and forgets nothing whether it can or not
 * @param retryWindow how long after an operation its retries may come, 100 milliseconds to 30 days
 * @param falsePositiveProbability the share of new operations that may be taken for a retry, {@value #MIN_FPP} to
 *     {@value #MAX_FPP}
 * @param maxBytes what the scope's filter files may take together, at least {@value #MIN_BYTES}: enough for ten
 *     operations a second by default, and for something at any window and probability; or {@link #UNLIMITED}
 * @param requests whether the filter also remembers the request of each operation: see {@link
 *     ForgetfulBloomFilter#putRequest}
 */
public record FilterSizing(
        double expectedOperationsPerSecond,
        Duration retryWindow,
        double falsePositiveProbability,
        long maxBytes,
        boolean requests) {

    /** The first of several arenas has half of the probability, and half of that must be left for its positions. */
    private static final double MOST_BY_SEED = 0.25;

    /** As much memory as it takes. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    static final double MIN_RATE = 0.001;
    static final double MAX_RATE = 10_000_000;
    static final double MIN_FPP = 1e-12;
    static final double MAX_FPP = 0.1;
    static final long MIN_BYTES = 64 << 10;
    static final Duration MIN_WINDOW = Duration.ofMillis(100);
    static final Duration MAX_WINDOW = Duration.ofDays(30);

    /** A thousand operations a second, retried for ten minutes, one in a billion mistaken. */
    public static final FilterSizing DEFAULT = new FilterSizing(1_000, Duration.ofMinutes(10), 1e-9);

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
        if (maxBytes < MIN_BYTES) {
            throw new IllegalArgumentException("maxBytes=" + maxBytes + ": must be at least " + MIN_BYTES);
        }
    }

    /**
     * States a scope whose filter remembers no requests.
     *
     * @param expectedOperationsPerSecond as above
     * @param retryWindow as above
     * @param falsePositiveProbability as above
     * @param maxBytes as above
     * @throws IllegalArgumentException naming the value and its range
     */
    public FilterSizing(
            double expectedOperationsPerSecond, Duration retryWindow, double falsePositiveProbability, long maxBytes) {
        this(expectedOperationsPerSecond, retryWindow, falsePositiveProbability, maxBytes, false);
    }

    /**
     * States a scope that may take as much memory as it takes, and whose filter remembers no requests.
     *
     * @param expectedOperationsPerSecond as above
     * @param retryWindow as above
     * @param falsePositiveProbability as above
     * @throws IllegalArgumentException naming the value and its range
     */
    public FilterSizing(double expectedOperationsPerSecond, Duration retryWindow, double falsePositiveProbability) {
        this(expectedOperationsPerSecond, retryWindow, falsePositiveProbability, UNLIMITED);
    }

    /**
     * Derives the filter that keeps the promise, by the exact model: nearly the smallest, with few lines for a check.
     * It grows and shrinks with the load.
     *
     * @return the plan
     * @throws IllegalArgumentException if it would take more than {@link #maxBytes()}; tells the nearest rate, window and
     *     probability that would do. Or if the probability is too low for so many operations; tells the lowest
     */
    public FilterPlan plan() {
        return plan(true);
    }

    /**
     * Derives the filter that keeps the promise, by the exact model: nearly the smallest, with few lines for a check.
     *
     * @param mayGrow whether the filter grows and shrinks with the load
     * @return the plan
     * @throws IllegalArgumentException as {@link #plan()} does
     */
    public FilterPlan plan(boolean mayGrow) {
        if (falsePositiveProbability < lowestFpp()) {
            throw new IllegalArgumentException("falsePositiveProbability=" + falsePositiveProbability + ": "
                    + statement() + ", are too many to tell" + " apart by 64 bits; must be at least " + lowestFpp());
        }
        return mayGrow ? Growth.first(this) : FilterPlanner.plan(this);
    }

    /**
     * Derives the smallest filter with a given rule and number of generations: to compare, or to reproduce the paper.
     *
     * @param rule where an operation is put, and what makes it present
     * @param past N, the number of past generations, 1 to 61
     * @return the plan
     * @throws IllegalArgumentException as {@link #plan()} does
     */
    public FilterPlan plan(Rule rule, int past) {
        if (past < 1 || past > 61) {
            throw new IllegalArgumentException("past=" + past + ": must be from 1 to 61");
        }
        return FilterPlanner.plan(this, rule, past);
    }

    /** States it in a part of a sentence. */
    @Override
    public String toString() {
        return statement() + (maxBytes == UNLIMITED ? "" : ", within " + bytes(maxBytes));
    }

    String statement() {
        return rate(expectedOperationsPerSecond) + ", retried for " + retryWindow + ", at "
                + mistaken(falsePositiveProbability) + (requests ? ", with their requests" : "");
    }

    /** The part of the false positive probability that no memory can lower: see {@link ProbeHash#SAME_SEED}. */
    double sameSeed() {
        return expectedOperationsPerSecond * retryWindow.toMillis() / 1000 * ProbeHash.SAME_SEED;
    }

    /** What can be kept by the rate and the window, whatever memory it takes. */
    double lowestFpp() {
        return sameSeed() / MOST_BY_SEED;
    }

    /** The rest of it, which decides how large the filter is. An arena that grew beyond what was stated keeps half. */
    double fppOfPositions() {
        return falsePositiveProbability - Math.min(sameSeed(), falsePositiveProbability / 2);
    }

    /** How many of an operation's lines its request takes: half of them, so that it costs half as much. */
    int requestLines(Spread spread) {
        return requests ? (spread.lines() + 1) / 2 : 0;
    }

    /** How much an operation fills the filter, with its request, in elements. */
    double elementsPerOperation(Spread spread) {
        return 1 + (double) requestLines(spread) / spread.lines();
    }

    static String rate(double operationsPerSecond) {
        return number("#,##0.######", operationsPerSecond) + " operations/s";
    }

    static String mistaken(double probability) {
        return "1 false positive in " + number("#,##0.#", 1 / probability);
    }

    static String bytes(long bytes) {
        return String.format(Locale.ROOT, "%,d bytes", bytes);
    }

    private static String number(String pattern, double value) {
        return new DecimalFormat(pattern, DecimalFormatSymbols.getInstance(Locale.ROOT)).format(value);
    }

    private static void between(String name, double value, double min, double max) {
        if (!(value >= min && value <= max)) { // written so that NaN fails
            throw new IllegalArgumentException(name + "=" + value + ": must be from " + min + " to " + max);
        }
    }
}
