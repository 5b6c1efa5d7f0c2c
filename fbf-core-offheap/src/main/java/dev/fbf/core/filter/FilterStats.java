package dev.fbf.core.filter;

import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import java.util.List;

/**
 * Statistics of a filter.
 *
 * @param targetFpp the stated false positive probability
 * @param arenas its arenas, the newest first
 */
public record FilterStats(double targetFpp, List<ArenaStats> arenas) {

    /*
     * Both bounds tolerate slightly overfull filters. These have more false positives than stated, but retries of applied operations, which
     * are far more frequent than 1 in 10,000 new operations, should still get their response. Load jumps that lead to growth also stay
     * below the bounds.
     */
    private static final double MOST_TIMES_TARGET = 100;

    private static final double MOST_FPP = 1e-4;

    /** {@return the current false positive probability, from a sample of the bits} */
    public double estimatedFpp() {
        double noFalsePositive = 1 - approximateElementCount() * FilterSizing.SAME_SEED;
        for (ArenaStats arena : arenas) {
            noFalsePositive *= 1 - arena.estimatedFpp();
        }
        return 1 - noFalsePositive;
    }

    /** {@return whether {@link #estimatedFpp()} exceeds {@link #targetFpp()} by a fifth, more than sampling explains} */
    public boolean overTarget() {
        return estimatedFpp() > 1.2 * targetFpp;
    }

    /**
     * {@return whether {@link #estimatedFpp()} exceeds {@link #targetFpp()} by a factor of 100 and is above 1 in 10,000: a hit then
     * proves nothing}
     */
    public boolean overfull() {
        return estimatedFpp() > Math.max(MOST_TIMES_TARGET * targetFpp, MOST_FPP);
    }

    /**
     * {@return an estimate of the number of elements: each operation counts as one, and its {@linkplain FilterPlan#elementsPerOperation()
     * request} as a fraction}
     */
    public long approximateElementCount() {
        return arenas.stream().mapToLong(ArenaStats::approximateElementCount).sum();
    }

    /** {@return the size of the filter's files in bytes} */
    public long bytes() {
        return arenas.stream().mapToLong(arena -> arena.plan().bytes()).sum();
    }
}
