package dev.fbf.core.filter;

import dev.fbf.core.model.Spread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds the filter that asks for the fewest cache lines among those that are nearly the smallest. */
final class FilterPlanner {

    private static final int[] LANE_BITS = {4, 8, 16, 32, 64};
    private static final int MAX_PROBE_LINES = 12;
    private static final int MAX_PROBES_PER_LINE = 4;

    /** 32 KiB: with fewer lines the model's assumption, that they fill independently, would not hold. */
    private static final double MIN_LINES_OF_FILE = 512;

    /** 16 PiB: spreads that would take more are no choice, whatever is asked for. */
    private static final double MAX_LINES_OF_FILE = 1L << 48;

    /** What a line less is worth: a check loads every line of an operation, and each may miss the cache. */
    private static final double MEMORY_OVER_BEST = 1.10;

    private FilterPlanner() {}

    static FilterPlan plan(FilterSizing sizing) {
        List<FilterPlan> plans = new ArrayList<>();
        for (int laneBits : LANE_BITS) {
            plans.addAll(plans(sizing, Rule.SINGLE, laneBits, laneBits - 3));
        }
        return best(plans);
    }

    /** The best filter that can double the number of its generations. */
    static FilterPlan planToDouble(FilterSizing sizing) {
        List<FilterPlan> plans = new ArrayList<>();
        for (int laneBits = 8; laneBits <= Long.SIZE; laneBits *= 2) {
            plans.addAll(plans(sizing, Rule.SINGLE, laneBits, laneBits / 2 - 3));
        }
        return best(plans);
    }

    /** The best filter by a rule with so many past generations. */
    static FilterPlan plan(FilterSizing sizing, Rule rule, int past) {
        int laneBits = LANE_BITS[0];
        while (laneBits < past + 3) {
            laneBits *= 2;
        }
        return best(plans(sizing, rule, laneBits, past));
    }

    static double elementsPerPeriod(FilterSizing sizing, Duration period) {
        return Math.max(1, sizing.expectedOperationsPerSecond() * period.toMillis() / 1000.0);
    }

    private static FilterPlan best(List<FilterPlan> plans) {
        long smallest = plans.stream().mapToLong(FilterPlan::bytes).min().orElseThrow();
        return plans.stream()
                .filter(plan -> plan.bytes() <= smallest * MEMORY_OVER_BEST)
                .min(Comparator.<FilterPlan>comparingInt(plan -> plan.spread().lines())
                        .thenComparingLong(FilterPlan::bytes))
                .orElseThrow();
    }

    private static List<FilterPlan> plans(FilterSizing sizing, Rule rule, int laneBits, int past) {
        Duration period = period(sizing.retryWindow(), past);
        double elements = elementsPerPeriod(sizing, period);
        List<FilterPlan> plans = new ArrayList<>();
        for (int lines = 1; lines <= MAX_PROBE_LINES; lines++) {
            for (int probes = 1; probes <= MAX_PROBES_PER_LINE; probes++) {
                Spread spread = new Spread(lines, probes, FilterLayout.LINE_BITS / laneBits);
                double load = highestLoad(rule, spread, past, sizing.falsePositiveProbability());
                double needed = Math.max(MIN_LINES_OF_FILE, Math.ceil(elements * lines / load));
                if (needed <= MAX_LINES_OF_FILE) {
                    plans.add(new FilterPlan(
                            sizing, sizing, Adaptation.NONE, rule, laneBits, past, (long) needed, spread, period));
                }
            }
        }
        return plans;
    }

    /** Whole milliseconds, rounded up so that (N + 1)·t is never shorter than the retry window. */
    private static Duration period(Duration retryWindow, int past) {
        return Duration.ofMillis(-Math.floorDiv(-retryWindow.toNanos(), (past + 1L) * 1_000_000));
    }

    /** The most elements a line may get in a period: the probability depends on n and Λ through it alone. */
    static double highestLoad(Rule rule, Spread spread, int past, double target) {
        double low = 0;
        double high = 4.0 * spread.slots();
        for (int i = 0; i < 50; i++) {
            double load = (low + high) / 2;
            if (rule.fpp(spread, load, past, 1) <= target) {
                low = load;
            } else {
                high = load;
            }
        }
        return low;
    }
}
