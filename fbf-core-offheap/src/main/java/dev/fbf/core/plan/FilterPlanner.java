package dev.fbf.core.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Search for the plan whose checks read the fewest cache lines, among those whose size is near the minimum. */
final class FilterPlanner {

    private static final int[] LANE_BITS = {4, 8, 16, 32, 64};
    private static final int MAX_PROBE_LINES = 12;
    private static final int MAX_PROBES_PER_LINE = 4;

    /** Maximum size of a plan, relative to the smallest: the price of fewer lines per check, each of which may miss the cache. */
    private static final double MEMORY_OVER_BEST = 1.125;

    private FilterPlanner() {}

    /** Returns the best plan over all shapes with the rule {@code SINGLE}. */
    static FilterPlan plan(FilterSizing sizing) {
        return best(
                sizing,
                Arrays.stream(LANE_BITS)
                        .mapToObj(laneBits -> candidates(sizing, Rule.SINGLE, laneBits, laneBits - 3))
                        .flatMap(List::stream)
                        .toList());
    }

    /** Returns the best plan for a given rule and number of past generations. */
    static FilterPlan plan(FilterSizing sizing, Rule rule, int past) {
        int laneBits = LANE_BITS[0];
        while (laneBits < past + 3) {
            laneBits *= 2;
        }
        return best(sizing, candidates(sizing, rule, laneBits, past));
    }

    private static List<Candidate> candidates(FilterSizing sizing, Rule rule, int laneBits, int past) {
        List<Candidate> candidates = new ArrayList<>();
        for (int lines = 1; lines <= MAX_PROBE_LINES; lines++) {
            for (int probes = 1; probes <= MAX_PROBES_PER_LINE; probes++) {
                candidates.add(Candidate.of(rule, laneBits, past, lines, probes, sizing.fppOfPositions()));
            }
        }
        return candidates;
    }

    private static FilterPlan best(FilterSizing sizing, List<Candidate> candidates) {
        List<FilterPlan> plans = candidates.stream()
                .filter(candidate -> candidate.isPossible(sizing))
                .map(candidate -> candidate.plan(sizing))
                .toList();
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
