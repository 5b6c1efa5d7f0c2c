package dev.fbf.core.filter;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.Rule;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.Iterator;

/** The oracle: a plane of bits for each generation, asked one after another as the paper tells. For one thread. */
final class PlaneByPlaneFilter {

    private final FilterPlan plan;
    private final ProbeHash hash;

    /** The live generations, the newest first. */
    private final Deque<BitSet> generations = new ArrayDeque<>();

    PlaneByPlaneFilter(FilterPlan plan, ProbeHash hash) {
        this.plan = plan;
        this.hash = hash;
        for (int i = 0; i < plan.liveGenerations(); i++) {
            generations.add(new BitSet());
        }
    }

    void put(OperationId id) {
        Iterator<BitSet> newestFirst = generations.iterator();
        newestFirst.next().or(positions(id));
        if (plan.rule() == Rule.PAPER) {
            newestFirst.next().or(positions(id));
        }
    }

    boolean mightContain(OperationId id) {
        BitSet positions = positions(id);
        Iterator<BitSet> newestFirst = generations.iterator();
        boolean newest = contains(newestFirst.next(), positions);
        if (plan.rule() == Rule.SINGLE) {
            return newest || generations.stream().anyMatch(generation -> contains(generation, positions));
        }
        boolean newer = false; // the future generation counts alone and forms no pair
        while (newestFirst.hasNext()) {
            boolean here = contains(newestFirst.next(), positions);
            boolean oldest = !newestFirst.hasNext();
            newest |= here && (newer || oldest);
            newer = here;
        }
        return newest;
    }

    void refresh() {
        generations.removeLast();
        generations.addFirst(new BitSet());
    }

    private static boolean contains(BitSet generation, BitSet positions) {
        BitSet missing = (BitSet) positions.clone();
        missing.andNot(generation);
        return missing.isEmpty();
    }

    private BitSet positions(OperationId id) {
        BitSet positions = new BitSet();
        long seed = hash.seed(id);
        int slots = plan.spread().slots();
        for (int line = 0; line < plan.spread().lines(); line++) {
            long number = ProbeHash.number(seed, line);
            long first = ProbeHash.line(number, plan.lines()) * slots;
            for (int probe = 0; probe < plan.spread().probesPerLine(); probe++) {
                positions.set(Math.toIntExact(first + (number & (FilterLayout.LINE_BITS - 1)) / plan.laneBits()));
                number >>>= Integer.numberOfTrailingZeros(FilterLayout.LINE_BITS);
            }
        }
        return positions;
    }
}
