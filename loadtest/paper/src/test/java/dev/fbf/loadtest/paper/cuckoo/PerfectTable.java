package dev.fbf.loadtest.paper.cuckoo;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The slot level bigraph of section IV-B with a maximum matching: buckets at random, no ring, and reallocation that
 * searches all paths (Ford and Fulkerson). What it refuses has no place at all, by Hall's theorem.
 */
final class PerfectTable {

    private static final int NONE = -1;

    private final int buckets;
    private final int slots;
    private final int candidates;
    private final SplittableRandom random;
    private final int[] elements;
    private final int[] candidatesOf;
    private final int[] reachedFrom;
    private final int[] queue;
    private int size;

    private PerfectTable(int candidates, int slots, int buckets, long seed) {
        this.buckets = buckets;
        this.slots = slots;
        this.candidates = candidates;
        random = new SplittableRandom(seed);
        elements = new int[buckets * slots];
        Arrays.fill(elements, NONE);
        candidatesOf = new int[(buckets * slots + 1) * candidates];
        reachedFrom = new int[buckets];
        queue = new int[buckets];
    }

    /** n/m when the first element is refused. */
    static double ratioAtFirstRefusal(int candidates, int slots, int buckets, long seed) {
        PerfectTable table = new PerfectTable(candidates, slots, buckets, seed);
        while (table.insert()) {
            table.size++;
        }
        return (double) table.size / buckets;
    }

    private boolean insert() {
        for (int i = 0; i < candidates; i++) {
            candidatesOf[size * candidates + i] = random.nextInt(buckets);
        }
        Arrays.fill(reachedFrom, NONE);
        int end = reach(size, buckets * slots, 0);
        for (int next = 0; next < end; next++) {
            int bucket = queue[next];
            for (int slot = bucket * slots; slot < (bucket + 1) * slots; slot++) {
                if (elements[slot] == NONE) {
                    moveAlong(slot);
                    return true;
                }
            }
            for (int slot = bucket * slots; slot < (bucket + 1) * slots; slot++) {
                end = reach(elements[slot], slot, end);
            }
        }
        return false;
    }

    /** Queues the candidates of an element that were not reached before; they remember the slot it would leave. */
    private int reach(int element, int slot, int end) {
        int last = end;
        for (int i = 0; i < candidates; i++) {
            int bucket = candidatesOf[element * candidates + i];
            if (reachedFrom[bucket] == NONE) {
                reachedFrom[bucket] = slot;
                queue[last++] = bucket;
            }
        }
        return last;
    }

    private void moveAlong(int empty) {
        int to = empty;
        int from = reachedFrom[to / slots];
        while (from < buckets * slots) {
            elements[to] = elements[from];
            to = from;
            from = reachedFrom[to / slots];
        }
        elements[to] = size;
    }
}
