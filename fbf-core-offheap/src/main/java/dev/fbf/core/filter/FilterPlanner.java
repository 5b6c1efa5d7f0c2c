package dev.fbf.core.filter;

import dev.fbf.core.model.FalsePositiveModel;
import java.time.Duration;

/** Finds the smallest filter that is as accurate as asked. */
final class FilterPlanner {

    private static final int MAX_PAST = 16;
    private static final int MAX_PROBES = 64;
    /** More past generations save memory, but each costs a check; the last few per cent are not worth it. */
    private static final double MEMORY_OVER_BEST = 1.15;

    private FilterPlanner() {}

    static FilterPlan plan(FilterSizing sizing) {
        FilterPlan smallest = plan(sizing, MAX_PAST);
        for (int past = 1; past < MAX_PAST; past++) {
            FilterPlan plan = plan(sizing, past);
            if (plan.bytes() <= smallest.bytes() * MEMORY_OVER_BEST) {
                return plan;
            }
        }
        return smallest;
    }

    /** The smallest filter with so many past generations. */
    static FilterPlan plan(FilterSizing sizing, int past) {
        Duration period = period(sizing.retryWindow(), past);
        int bestProbes = 0;
        double bestPositions = Double.MAX_VALUE;
        for (int probes = 1; probes <= MAX_PROBES; probes++) {
            double positionsPerElement = probes / highestLoad(probes, past, sizing.falsePositiveProbability());
            if (positionsPerElement < bestPositions) {
                bestPositions = positionsPerElement;
                bestProbes = probes;
            }
        }
        long positions = (long) Math.ceil(bestPositions * elementsPerPeriod(sizing, period));
        long lines = ceilDiv(positions, PlaneLayout.POSITIONS_PER_LINE);
        return new FilterPlan(sizing, lines * PlaneLayout.POSITIONS_PER_LINE, bestProbes, past, period);
    }

    static double elementsPerPeriod(FilterSizing sizing, Duration period) {
        return Math.max(1, sizing.expectedOperationsPerSecond() * period.toMillis() / 1000.0);
    }

    /** Whole milliseconds, rounded up so that (N + 1)·t is never shorter than the retry window. */
    private static Duration period(Duration retryWindow, int past) {
        return Duration.ofMillis(ceilDiv(retryWindow.toNanos(), (past + 1L) * 1_000_000));
    }

    /** The largest κn/m that keeps the target: the probability depends on n and m through it alone, and grows with it. */
    private static double highestLoad(int probes, int past, double target) {
        double low = 0;
        double high = 64;
        for (int i = 0; i < 60; i++) {
            double load = (low + high) / 2;
            if (FalsePositiveModel.EXACT.fpp(load, probes, probes, past, 1) <= target) {
                low = load;
            } else {
                high = load;
            }
        }
        return low;
    }

    private static long ceilDiv(long dividend, long divisor) {
        return -Math.floorDiv(-dividend, divisor);
    }
}
