package dev.fbf.loadtest.paper.cuckoo;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A set under the begins and ends of a trace's flows, as sampled after every eighth of them.
 *
 * @param optimal m_opt: the fewest buckets that can have all elements
 * @param buckets how many there are
 * @param emptySlots how many slots have no element
 * @param utilizationAtPeak with the largest number of flows, when hardly any deletion has left holes
 * @param lost how many flows were refused, not found when they began, or not found when they ended: false negatives
 * @param mostFilters the largest s
 */
record TraceRun(
        Distribution optimal,
        Distribution buckets,
        Distribution utilization,
        Distribution emptySlots,
        double utilizationAtPeak,
        int lost,
        double mostFilters) {

    private static final int EVERY = 8;

    static TraceRun of(FlowTrace trace, DynamicSet set, int slots) {
        int samples = trace.events() / EVERY;
        double[] optimal = new double[samples];
        double[] buckets = new double[samples];
        double[] utilization = new double[samples];
        double[] empty = new double[samples];
        double atPeak = 0;
        int peak = 0;
        int lost = 0;
        int mostFilters = 0;
        for (int i = 0; i < samples * EVERY; i++) {
            long element = trace.element(i);
            boolean found = trace.isBegin(i)
                    ? set.insert(element) && set.contains(element)
                    : set.contains(element) && set.delete(element);
            lost += found ? 0 : 1;
            mostFilters = Math.max(mostFilters, set.filters());
            if (set.size() > peak) {
                peak = set.size();
                atPeak = set.utilization();
            }
            if (i % EVERY == 0) {
                optimal[i / EVERY] = Math.ceil((double) set.size() / slots);
                buckets[i / EVERY] = set.buckets();
                utilization[i / EVERY] = set.utilization();
                empty[i / EVERY] = set.slots() - set.size();
            }
        }
        return new TraceRun(
                Distribution.of(optimal),
                Distribution.of(buckets),
                Distribution.of(utilization),
                Distribution.of(empty),
                atPeak,
                lost,
                mostFilters);
    }

    /** The same kind of set under several traces: all samples, the means of single numbers, and all that was lost. */
    static TraceRun ofAll(List<TraceRun> runs) {
        return new TraceRun(
                Distribution.ofAll(runs.stream().map(TraceRun::optimal).toList()),
                Distribution.ofAll(runs.stream().map(TraceRun::buckets).toList()),
                Distribution.ofAll(runs.stream().map(TraceRun::utilization).toList()),
                Distribution.ofAll(runs.stream().map(TraceRun::emptySlots).toList()),
                runs.stream().mapToDouble(TraceRun::utilizationAtPeak).average().orElseThrow(),
                runs.stream().mapToInt(TraceRun::lost).sum(),
                runs.stream().mapToDouble(TraceRun::mostFilters).average().orElseThrow());
    }

    /** For the page; {@code excess} is how many more buckets there are than the optimum has, on average. */
    Map<String, Object> figures() {
        Map<String, Object> figures = new HashMap<>();
        figures.put("buckets", buckets.mean());
        figures.put("excess", buckets.mean() / optimal.mean() - 1);
        figures.put("distance", buckets.distance(optimal));
        figures.put("utilization", utilization.mean());
        figures.put("highest", utilization.most());
        figures.put("atPeak", utilizationAtPeak);
        figures.put("below90", utilization.below(0.9));
        figures.put("above95", utilization.above(0.95));
        figures.put("above98", utilization.above(0.98));
        figures.put("empty", emptySlots.mean());
        figures.put("mostEmpty", emptySlots.most());
        figures.put("under500", emptySlots.below(500));
        figures.put("over1000", emptySlots.above(1_000));
        figures.put("mostFilters", mostFilters);
        return figures;
    }
}
