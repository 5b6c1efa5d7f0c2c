package dev.fbf.core.plan;

import dev.fbf.core.DurationText;
import java.time.Duration;
import java.util.Locale;

/**
 * The requirements for a scope, from which {@link #plan()} derives its filter.
 *
 * @param expectedOperationsPerSecond the highest steady rate of operations, {@value #MIN_RATE} to {@value #MAX_RATE}; above it the filter
 *     grows if it can, and still remembers all operations
 * @param retryWindow the time after an operation in which its retries may arrive, 100 milliseconds to 30 days
 * @param falsePositiveProbability the probability that a new operation is a false positive, {@value #MIN_FPP} to {@value #MAX_FPP}
 * @param maxBytes the limit for the scope's filter files together, in bytes, at least {@value #MIN_BYTES}: enough for ten operations per
 *     second by default, and for some rate at any window and probability; or {@link #UNLIMITED}
 * @param requests whether the filter also remembers the request of each operation, to detect the reuse of a key with another request
 */
public record FilterSizing(
        double expectedOperationsPerSecond,
        Duration retryWindow,
        double falsePositiveProbability,
        long maxBytes,
        boolean requests) {

    /**
     * Maximum share of equal seeds in the probability. The first of several arenas has half of the probability, and must leave half of that
     * for its positions.
     */
    private static final double MOST_BY_SEED = 0.25;

    /** Upper bound for the probability that an operation has the same probe seed as a given other operation of the window. */
    public static final double SAME_SEED = 0x1p-63;

    /** No limit for memory. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    static final double MIN_RATE = 0.001;
    static final double MAX_RATE = 10_000_000;
    static final double MIN_FPP = 1e-12;
    static final double MAX_FPP = 0.1;
    static final long MIN_BYTES = 64 << 10;
    static final Duration MIN_WINDOW = Duration.ofMillis(100);
    static final Duration MAX_WINDOW = Duration.ofDays(30);

    /** The default requirements: 1,000 operations per second, retried for ten minutes, with one false positive in a billion. */
    public static final FilterSizing DEFAULT = new FilterSizing(1_000, Duration.ofMinutes(10), 1e-9);

    /**
     * Validates the values.
     *
     * @throws IllegalArgumentException if a value is outside its range
     */
    public FilterSizing {
        between("expectedOperationsPerSecond", expectedOperationsPerSecond, MIN_RATE, MAX_RATE);
        between("falsePositiveProbability", falsePositiveProbability, MIN_FPP, MAX_FPP);
        if (retryWindow.compareTo(MIN_WINDOW) < 0 || retryWindow.compareTo(MAX_WINDOW) > 0) {
            throw new IllegalArgumentException("retryWindow=" + DurationText.of(retryWindow) + ": must be from "
                    + DurationText.of(MIN_WINDOW) + " to " + DurationText.of(MAX_WINDOW));
        }
        if (maxBytes < MIN_BYTES) {
            throw new IllegalArgumentException("maxBytes=" + maxBytes + ": must be at least " + MIN_BYTES);
        }
    }

    /** Creates requirements without remembered requests. */
    public FilterSizing(
            double expectedOperationsPerSecond, Duration retryWindow, double falsePositiveProbability, long maxBytes) {
        this(expectedOperationsPerSecond, retryWindow, falsePositiveProbability, maxBytes, false);
    }

    /** Creates requirements without a limit for memory or remembered requests. */
    public FilterSizing(double expectedOperationsPerSecond, Duration retryWindow, double falsePositiveProbability) {
        this(expectedOperationsPerSecond, retryWindow, falsePositiveProbability, UNLIMITED);
    }

    /**
     * Derives the filter for these requirements: nearly the smallest one, with few lines per check. It grows with the load.
     *
     * @throws IllegalArgumentException if the filter needs more than {@link #maxBytes()}; the message has the necessary size. Or
     *     if the probability is too low for so many operations; the message has the lowest possible one
     */
    public FilterPlan plan() {
        if (falsePositiveProbability < lowestFpp()) {
            throw new IllegalArgumentException("falsePositiveProbability=" + falsePositiveProbability + ": "
                    + statement() + ", are too many to tell apart by 64 bits; must be at least " + lowestFpp());
        }
        FilterPlan first = planArena(expectedOperationsPerSecond, falsePositiveProbability);
        // without room to grow, the first arena gets the whole probability
        return first.bytes() <= maxBytes ? first : FilterPlanner.plan(this).partOf(this, true);
    }

    /**
     * Derives an arena of a filter for these requirements.
     *
     * @param operationsPerSecond the rate that the arena is planned for
     * @param free the false positive probability that other arenas leave, of which this one may use half
     * @return the plan, of any size
     */
    public FilterPlan planArena(double operationsPerSecond, double free) {
        double rate = Math.min(MAX_RATE, Math.max(MIN_RATE, operationsPerSecond));
        return FilterPlanner.plan(new FilterSizing(rate, retryWindow, Math.max(MIN_FPP, free / 2), UNLIMITED, requests))
                .partOf(this, true);
    }

    /**
     * Derives nearly the smallest filter with a given rule and number of generations: for comparisons, and to reproduce the paper.
     *
     * @param rule the rule of insertion and presence
     * @param past N, the number of past generations, 1 to 61
     * @throws IllegalArgumentException if {@code past} is outside its range, or the filter needs more than {@link #maxBytes()}
     */
    public FilterPlan plan(Rule rule, int past) {
        if (past < 1 || past > 61) {
            throw new IllegalArgumentException("past=" + past + ": must be from 1 to 61");
        }
        return FilterPlanner.plan(this, rule, past);
    }

    /** {@return the same requirements with another limit in bytes} */
    public FilterSizing within(long maxBytes) {
        return new FilterSizing(expectedOperationsPerSecond, retryWindow, falsePositiveProbability, maxBytes, requests);
    }

    @Override
    public String toString() {
        return statement() + (maxBytes == UNLIMITED ? "" : ", within " + bytes(maxBytes));
    }

    String statement() {
        return expectedOperationsPerSecond + " operations/s, retried for " + retryWindow
                + ", at a false positive probability of " + falsePositiveProbability
                + (requests ? ", with their requests" : "");
    }

    /** Returns the part of the false positive probability that memory cannot lower: see {@link #SAME_SEED}. */
    double sameSeed() {
        return expectedOperationsPerSecond * retryWindow.toMillis() / 1000 * SAME_SEED;
    }

    /** Returns the lowest probability that any memory allows for the rate and the window. */
    double lowestFpp() {
        return sameSeed() / MOST_BY_SEED;
    }

    /**
     * Returns the probability without {@link #sameSeed()}, but at least half of it, for arenas that grew far beyond the stated rate. The
     * result determines the filter's size.
     */
    double fppOfPositions() {
        return falsePositiveProbability - Math.min(sameSeed(), falsePositiveProbability / 2);
    }

    /** {@return the number of lines of a request: half of an operation's, rounded up; 0 if requests are not remembered} */
    public int requestLines(Spread spread) {
        return requests ? (spread.lines() + 1) / 2 : 0;
    }

    /** Returns the number of filter elements per operation, including its request. */
    double elementsPerOperation(Spread spread) {
        return 1 + (double) requestLines(spread) / spread.lines();
    }

    double elementsPerPeriod(Spread spread, Duration period) {
        double operations = expectedOperationsPerSecond * period.toMillis() / 1000.0;
        return Math.max(1, operations * elementsPerOperation(spread));
    }

    /** {@return a size in bytes as text} */
    public static String bytes(long bytes) {
        return String.format(Locale.ROOT, "%,d bytes", bytes);
    }

    private static void between(String name, double value, double min, double max) {
        if (!(value >= min && value <= max)) { // negated so that NaN fails
            throw new IllegalArgumentException(name + "=" + value + ": must be from " + min + " to " + max);
        }
    }
}
