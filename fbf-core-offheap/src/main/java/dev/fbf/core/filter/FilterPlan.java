package dev.fbf.core.filter;

import dev.fbf.core.model.Spread;
import java.time.Duration;
import java.util.Locale;

/**
 * How a filter, or an arena of one, is laid out, and what for.
 *
 * @param stated what the user stated
 * @param sizing what it is planned for: a part of the stated false positive probability where the rest is left to later
 *     arenas, and the rate they meet
 * @param mayGrow whether new operations go to a larger arena, or a smaller one, when the load changes: the false positive
 *     probability then stays below the stated one, within the stated size
 * @param rule where an operation is put, and what makes it present
 * @param laneBits the bits that all generations have for one position: 4, 8, 16, 32 or 64
 * @param past N, the number of past generations of the paper: N + 2 are live, one is the spare
 * @param lines Λ, the number of 64-byte lines
 * @param spread how the positions of an operation are spread over lines
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

    /** What a filter may grow to if nothing else is said: no laptop misses it. */
    public static final long DEFAULT_MAX_BYTES = 256 << 20;

    private static final long ROOM_TO_GROW = 6;

    private static final double LEFT_AFTER_MOST_CHECKS = 0.1;

    /**
     * Returns how many generations answer.
     *
     * @return N + 2
     */
    public int liveGenerations() {
        return past + 2;
    }

    /**
     * Returns how long an operation is surely remembered.
     *
     * @return (N + 1)·t, never shorter than the retry window
     */
    public Duration window() {
        return period.multipliedBy(past + 1L);
    }

    /**
     * Returns how many positions a generation has.
     *
     * @return m
     */
    public long positions() {
        return lines * (FilterLayout.LINE_BITS / laneBits);
    }

    /**
     * Returns the size of the filter's file.
     *
     * @return bytes, the spare generation included
     */
    public long bytes() {
        return FilterLayout.words(lines) * Long.BYTES;
    }

    /**
     * Returns the false positive probability at the stated rate, at the end of a period, when it is highest.
     *
     * @return a probability by {@link dev.fbf.core.model.ExactModel}, and that two operations have the same seed
     */
    public double expectedFpp() {
        double elementsPerLine = Candidate.elementsPerPeriod(sizing, spread, period) * spread.lines() / lines;
        return rule.fpp(spread, elementsPerLine, past, 1) + sizing.sameSeed();
    }

    /**
     * Returns how many lines tell that an operation is absent, nine times in ten or more.
     *
     * @return how many of an operation's lines a check looks at first: 1 to all
     */
    public int linesOfMostChecks() {
        // a generation is mistaken if all lines are; so many generations are left after some of them
        double each = sizing.falsePositiveProbability() / liveGenerations();
        int looked = 1;
        while (looked < spread.lines()
                && liveGenerations() * Math.pow(each, (double) looked / spread.lines()) > LEFT_AFTER_MOST_CHECKS) {
            looked++;
        }
        return looked;
    }

    /**
     * Returns how much an operation fills the filter.
     *
     * @return elements: 1, and more if the filter remembers requests
     */
    public double elementsPerOperation() {
        return sizing.elementsPerOperation(spread);
    }

    /** The most elements a period may bring before the filter is mistaken more often than it is planned for. */
    double capacity() {
        double share = sizing.fppOfPositions();
        return Candidate.of(rule, laneBits, past, spread.lines(), spread.probesPerLine(), share)
                        .highestLoad()
                * lines
                / spread.lines();
    }

    /**
     * Returns this plan with a limit for what the filter may grow to: {@value #DEFAULT_MAX_BYTES} bytes, or six times what
     * it takes from the start, if that is more: enough for itself and one growth of the largest step.
     *
     * @return the same plan, but for what was stated
     */
    public FilterPlan withDefaultLimit() {
        FilterSizing limited = new FilterSizing(
                stated.expectedOperationsPerSecond(),
                stated.retryWindow(),
                stated.falsePositiveProbability(),
                Math.max(DEFAULT_MAX_BYTES, ROOM_TO_GROW * bytes()),
                stated.requests());
        return partOf(limited, mayGrow);
    }

    /** The same layout, as a part of what was stated. */
    FilterPlan partOf(FilterSizing stated, boolean mayGrow) {
        return new FilterPlan(stated, sizing, mayGrow, rule, laneBits, past, lines, spread, period);
    }

    /** Whether a filter with this layout, which may have grown, meets the demand of another plan. */
    boolean serves(FilterPlan asked) {
        return sameDemand(stated, asked.stated)
                && mayGrow == asked.mayGrow
                && rule == asked.rule
                && (mayGrow || past == asked.past);
    }

    private static boolean sameDemand(FilterSizing one, FilterSizing other) {
        return one.requests() == other.requests()
                && one.expectedOperationsPerSecond() == other.expectedOperationsPerSecond()
                && one.falsePositiveProbability() == other.falsePositiveProbability()
                && one.retryWindow().equals(other.retryWindow());
    }

    /** Explains the plan in one line. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: rule %s, N = %d, t = %s, remembered for %s; %d generations of %,d positions and a spare, in lanes of"
                        + " %d bits in %,d lines of 64 bytes; %d probes in %d lines; %.2f MB",
                stated,
                rule,
                past,
                period,
                window(),
                liveGenerations(),
                positions(),
                laneBits,
                lines,
                spread.probes(),
                spread.lines(),
                bytes() / 1e6);
    }
}
