package dev.fbf.core.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Search for the plan whose checks read the fewest cache lines, among those whose size is near the minimum. */
final class FilterPlanner {

    private static final int[] LANE_BITS = {4, 8, 16, 32, 64};
    private static final int MAX_PROBE_LINES = 12;
    private static final int MAX_PROBES_PER_LINE = 4;

    /** Maximum size of a plan, relative to the smallest: the price of fewer lines per check, each of which may miss the cache. */
    private static final double MEMORY_OVER_BEST = 1.125;

    /** Minimum number of lines of a file, 32 KiB. With fewer lines, the model's assumption that lines fill independently would not hold. */
    private static final double MIN_LINES_OF_FILE = 512;

    /** Maximum number of lines of a file, 16 PiB: a larger one is never an option. */
    private static final double MAX_LINES_OF_FILE = 1L << 48;

    /**
     * Number of bisections, which determine the load to a billionth of an element per slot. Not more, because each start of an application
     * searches all shapes.
     */
    private static final int BISECTIONS = 32;

    private FilterPlanner() {}

    /** Returns the best plan over all shapes with the rule {@code SINGLE}. */
    static FilterPlan plan(FilterSizing sizing) {
        return best(
                sizing,
                IntStream.of(LANE_BITS)
                        .mapToObj(laneBits -> plans(sizing, Rule.SINGLE, laneBits, laneBits - 3))
                        .flatMap(List::stream)
                        .toList());
    }

    static FilterPlan plan(FilterSizing sizing, Rule rule, int past) {
        int laneBits = LANE_BITS[0];
        while (laneBits < past + 3) {
            laneBits *= 2;
        }
        return best(sizing, plans(sizing, rule, laneBits, past));
    }

    /**
     * Returns the possible plans. Rate, window and number of lines affect the false positive probability only through the load per line. So
     * the number of lines is proportional to rate and window.
     */
    private static List<FilterPlan> plans(FilterSizing sizing, Rule rule, int laneBits, int past) {
        // in whole milliseconds, rounded up so that (N + 1)·t is never shorter than the retry window
        Duration period = Duration.ofMillis(-Math.floorDiv(-sizing.retryWindow().toNanos(), (past + 1L) * 1_000_000));
        List<FilterPlan> plans = new ArrayList<>();
        for (int probeLines = 1; probeLines <= MAX_PROBE_LINES; probeLines++) {
            for (int probes = 1; probes <= MAX_PROBES_PER_LINE; probes++) {
                Spread spread = new Spread(probeLines, probes, FilterPlan.LINE_BITS / laneBits);
                double load = highestLoad(rule, spread, past, sizing.fppOfPositions());
                double lines = Math.ceil(sizing.elementsPerPeriod(spread, period) * probeLines / load);
                if (lines <= MAX_LINES_OF_FILE) {
                    long used = (long) Math.max(MIN_LINES_OF_FILE, lines);
                    plans.add(new FilterPlan(sizing, sizing, false, rule, laneBits, past, used, spread, period));
                }
            }
        }
        return plans;
    }

    /** Returns the maximum elements per line and period for a given false positive probability. */
    static double highestLoad(Rule rule, Spread spread, int past, double target) {
        double low = 0;
        double high = 4.0 * spread.slots();
        for (int i = 0; i < BISECTIONS; i++) {
            double load = (low + high) / 2;
            if (FppModel.highest(rule, spread, past, load) <= target) {
                low = load;
            } else {
                high = load;
            }
        }
        return low;
    }

    private static FilterPlan best(FilterSizing sizing, List<FilterPlan> plans) {
        long smallest = plans.stream().mapToLong(FilterPlan::bytes).min().orElseThrow();
        if (smallest > sizing.maxBytes()) {
            throw new IllegalArgumentException("maxBytes=" + sizing.maxBytes() + ": " + sizing.statement() + ", need "
                    + FilterSizing.bytes(smallest));
        }
        long largest = Math.min(sizing.maxBytes(), (long) (smallest * MEMORY_OVER_BEST));
        return plans.stream()
                .filter(plan -> plan.bytes() <= largest)
                .min(Comparator.comparingInt(FilterPlan::linesOfMostChecks)
                        .thenComparingInt(
                                plan -> plan.linesOfMostChecks() * plan.spread().probesPerLine())
                        .thenComparingLong(FilterPlan::bytes))
                .orElseThrow();
    }
}
