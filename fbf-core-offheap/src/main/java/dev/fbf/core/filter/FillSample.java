package dev.fbf.core.filter;

import dev.fbf.core.memory.Words;
import dev.fbf.core.plan.FilterPlan;

/** Sample of the lines. Operations choose their lines at random, so a few thousand lines suffice to estimate the fill of each generation. */
final class FillSample {

    private static final int MAX_LINES = 2048;

    private final FilterPlan plan;

    /** The number of positions that each generation has in the sample. */
    private final double positions;

    /** The number of set positions of each generation; its bit in a lane is the index. */
    private final long[] set;

    FillSample(FilterPlan plan, Words words) {
        this.plan = plan;
        long lines = Math.min(MAX_LINES, plan.lines());
        positions = lines * plan.spread().slots();
        set = new long[plan.laneBits()];
        long lowestOfLanes = Long.divideUnsigned(-1L, -1L >>> (Long.SIZE - plan.laneBits()));
        for (long i = 0; i < lines * FilterLayout.LINE_WORDS; i++) {
            long line = i / FilterLayout.LINE_WORDS * plan.lines() / lines;
            long word = line * FilterLayout.LINE_WORDS + i % FilterLayout.LINE_WORDS;
            long bits = words.getVolatile(FilterLayout.HEADER_WORDS + word);
            for (int bit = 0; bits != 0 && bit < set.length; bit++) {
                set[bit] += Long.bitCount(bits >>> bit & lowestOfLanes);
            }
        }
    }

    /**
     * Estimates the number of elements in a generation: each misses a slot of its line with probability (1 − 1/S)^P,
     * and the number of elements in a line is Poisson distributed (Swamidass and Baldi, 2007, for lines).
     */
    double elements(int bit) {
        double missed = 1 - Math.min(set[bit] / positions, 1 - 0.5 / positions);
        double setByOne = -Math.expm1(
                plan.spread().probesPerLine() * Math.log1p(-1.0 / plan.spread().slots()));
        return -Math.log(missed) * plan.lines() / (plan.spread().lines() * setByOne);
    }
}
