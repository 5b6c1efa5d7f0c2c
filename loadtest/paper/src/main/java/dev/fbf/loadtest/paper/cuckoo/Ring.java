package dev.fbf.loadtest.paper.cuckoo;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A consistent hash ring from 0 to M - 1 (section III-A): the bucket of a position is the nearest one clockwise. */
final class Ring {

    private final long length;
    private final TreeMap<Long, Integer> buckets = new TreeMap<>();

    /** Of each bucket the positions of its points, in order. */
    private final Map<Integer, long[]> points = new HashMap<>();

    /** @param length M */
    Ring(long length) {
        this.length = length;
    }

    /** Adds a bucket's points; one whose position is taken gets the next that is free, so that no other point moves. */
    void add(int bucket, long[] positions) {
        if (buckets.size() + positions.length > length) {
            throw new IllegalStateException(
                    "points=" + (buckets.size() + positions.length) + ": must be at most M=" + length);
        }
        for (int i = 0; i < positions.length; i++) {
            while (buckets.putIfAbsent(positions[i], bucket) != null) {
                positions[i] = (positions[i] + 1) % length;
            }
        }
        Arrays.sort(positions);
        points.put(bucket, positions);
    }

    /** Removes a bucket; returns the positions of its points. */
    long[] remove(int bucket) {
        long[] removed = Objects.requireNonNull(points.remove(bucket));
        for (long position : removed) {
            buckets.remove(position);
        }
        return removed;
    }

    /** The bucket of a position. */
    int bucket(long position) {
        Map.Entry<Long, Integer> next = buckets.ceilingEntry(position);
        return (next == null ? buckets.firstEntry() : next).getValue();
    }

    /** The other buckets that come next after a bucket's points: those that its arcs were taken from. */
    int[] successors(int bucket) {
        return Arrays.stream(Objects.requireNonNull(points.get(bucket)))
                .mapToInt(position -> bucket((position + 1) % length))
                .filter(next -> next != bucket)
                .distinct()
                .toArray();
    }
}
