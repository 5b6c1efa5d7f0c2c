package dev.fbf.loadtest.paper.cuckoo;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.DoubleStream;

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

    /**
     * Runs a kind of set under several traces: all samples, the means of single numbers, and all that was lost.
     *
     * @param maker creates an empty set with a seed
     * @param slots of its buckets
     */
    static TraceRun of(List<FlowTrace> traces, LongFunction<DynamicSet> maker, int slots) {
        DoubleStream.Builder optimal = DoubleStream.builder();
        DoubleStream.Builder buckets = DoubleStream.builder();
        DoubleStream.Builder utilization = DoubleStream.builder();
        DoubleStream.Builder empty = DoubleStream.builder();
        double atPeaks = 0;
        double filters = 0;
        int lost = 0;
        for (FlowTrace trace : traces) {
            DynamicSet set = maker.apply(traces.indexOf(trace) + 1L);
            double atPeak = 0;
            int peak = 0;
            int mostFilters = 0;
            for (int i = 0; i < trace.events() / EVERY * EVERY; i++) {
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
                    optimal.add(Math.ceil((double) set.size() / slots));
                    buckets.add(set.buckets());
                    utilization.add(set.utilization());
                    empty.add((double) (set.slots() - set.size()));
                }
            }
            atPeaks += atPeak;
            filters += mostFilters;
        }
        return new TraceRun(
                new Distribution(optimal.build()),
                new Distribution(buckets.build()),
                new Distribution(utilization.build()),
                new Distribution(empty.build()),
                atPeaks / traces.size(),
                lost,
                filters / traces.size());
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
