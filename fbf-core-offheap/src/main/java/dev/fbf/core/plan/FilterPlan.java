package dev.fbf.core.plan;

import java.time.Duration;
import java.util.Arrays;

/**
 * The layout of a filter, or of one of its arenas, and the load it is planned for.
 *
 * @param stated the user's demand
 * @param sizing the planned load: the rate, and the arena's part of the stated false positive probability; later arenas have the rest
 * @param mayGrow whether new operations go to a larger arena when the load grows, which keeps the stated false positive probability within
 *     the stated size
 * @param rule the rule of insertion and presence
 * @param laneBits the bits of all generations for one position: 4, 8, 16, 32 or 64
 * @param past N, the number of past generations of the paper: N + 2 are live
 * @param lines Λ, the number of 64-byte lines
 * @param spread the distribution of an operation's positions over lines
 * @param period t, the time from one refresh to the next
 */
public record FilterPlan(
        FilterSizing stated,
        FilterSizing sizing,
        boolean mayGrow,
        Rule rule,
        int laneBits,
        int past,
        long lines,
        Spread spread,
        Duration period) {

    /** The default limit of a filter's growth: 256 MiB, which is affordable on any machine. */
    public static final long DEFAULT_MAX_BYTES = 256 << 20;

    /** The words of 64 bits before the first line of a filter's file. */
    public static final int HEADER_WORDS = 512;

    /** The words of a line. */
    public static final int LINE_WORDS = 8;

    static final int LINE_BITS = LINE_WORDS * Long.SIZE;

    private static final long ROOM_TO_GROW = 6;

    private static final double LEFT_AFTER_MOST_CHECKS = 0.1;

    /** {@return N + 2, the number of live generations} */
    public int liveGenerations() {
        return past + 2;
    }

    /** {@return (N + 1)·t, the time for which an operation is always remembered; at least the retry window} */
    public Duration window() {
        return period.multipliedBy(past + 1L);
    }

    /** {@return the size of the filter's file in bytes} */
    public long bytes() {
        return (HEADER_WORDS + lines * LINE_WORDS) * Long.BYTES;
    }

    /**
     * {@return the false positive probability at the planned rate and the end of a period, where it is highest, including the probability
     * that two operations have the same seed}
     */
    public double expectedFpp() {
        double elementsPerLine = sizing.elementsPerPeriod(spread, period) * spread.lines() / lines;
        return FppModel.highest(rule, spread, past, elementsPerLine) + sizing.sameSeed();
    }

    /** {@return the false positive probability if the live generations, the newest first, have these numbers of elements} */
    public double fpp(double... elements) {
        double[] elementsPerLine = new double[elements.length];
        Arrays.setAll(elementsPerLine, i -> elements[i] * spread.lines() / lines);
        return FppModel.of(rule, spread, elementsPerLine);
    }

    /**
     * {@return the number of an operation's lines that a check reads first: enough to rule out at least nine in ten absent operations}
     */
    public int linesOfMostChecks() {
        // bounds the expected number of generations that the first lines do not rule out
        double each = sizing.falsePositiveProbability() / liveGenerations();
        int first = 1;
        while (first < spread.lines()
                && liveGenerations() * Math.pow(each, (double) first / spread.lines()) > LEFT_AFTER_MOST_CHECKS) {
            first++;
        }
        return first;
    }

    /** {@return the elements of an operation in the filter: 1, and more if the filter remembers requests} */
    public double elementsPerOperation() {
        return sizing.elementsPerOperation(spread);
    }

    /** {@return the maximum number of elements per period within the planned false positive probability} */
    public double capacity() {
        return FilterPlanner.highestLoad(rule, spread, past, sizing.fppOfPositions()) * lines / spread.lines();
    }

    /**
     * {@return the same plan with a limit for growth: {@value #DEFAULT_MAX_BYTES} bytes or, if that is more, six times its initial size,
     * which is enough for the initial size and the largest growth step}
     */
    public FilterPlan withDefaultLimit() {
        return partOf(stated.within(Math.max(DEFAULT_MAX_BYTES, ROOM_TO_GROW * bytes())), mayGrow);
    }

    /** {@return the same layout, as part of a filter with other requirements} */
    public FilterPlan partOf(FilterSizing stated, boolean mayGrow) {
        return new FilterPlan(stated, sizing, mayGrow, rule, laneBits, past, lines, spread, period);
    }

    /** {@return whether a filter with this layout, which may have grown, meets the requirements of another plan} */
    public boolean serves(FilterPlan asked) {
        return stated.within(FilterSizing.UNLIMITED).equals(asked.stated.within(FilterSizing.UNLIMITED))
                && mayGrow == asked.mayGrow
                && rule == asked.rule
                && (mayGrow || past == asked.past);
    }
}
