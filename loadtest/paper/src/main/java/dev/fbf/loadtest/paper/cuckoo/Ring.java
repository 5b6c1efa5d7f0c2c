package dev.fbf.loadtest.paper.cuckoo;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * A consistent hash ring from 0 to M - 1 (section III-A): the bucket of a position is the nearest one clockwise.
 *
 * <p>A sorted array instead of the paper's binary search tree: the same O(log m) for a search, in less memory. A point
 * is one word, its position above its bucket.
 */
final class Ring {

    private static final int BUCKET_BITS = 26;
    private static final long BUCKET_MASK = (1L << BUCKET_BITS) - 1;

    private final long length;
    private long[] points = new long[16];
    private int size;

    /** @param length M, at most 2^37 */
    Ring(long length) {
        if (length < 2 || length > 1L << (Long.SIZE - 1 - BUCKET_BITS)) {
            throw new IllegalArgumentException("length=" + length + ": must be from 2 to 2^37");
        }
        this.length = length;
    }

    static long point(int bucket, long position) {
        return (position << BUCKET_BITS) | bucket;
    }

    private static long position(long point) {
        return point >>> BUCKET_BITS;
    }

    private static int bucketOf(long point) {
        return (int) (point & BUCKET_MASK);
    }

    /** Adds points; one whose position is taken gets the next that is free, so that no other point moves. */
    void add(long[] added) {
        if (size + added.length > length) {
            throw new IllegalStateException("points=" + (size + added.length) + ": must be at most M=" + length);
        }
        long[] sorted = new long[added.length];
        Set<Long> positions = new HashSet<>(2 * added.length);
        for (int i = 0; i < added.length; i++) {
            long position = position(added[i]);
            while (isTaken(position) || !positions.add(position)) {
                position = (position + 1) % length;
            }
            sorted[i] = point(bucketOf(added[i]), position);
        }
        Arrays.sort(sorted);
        merge(sorted);
    }

    private boolean isTaken(long position) {
        return size > 0 && position(points[ceiling(position)]) == position;
    }

    private void merge(long[] sorted) {
        if (size + sorted.length > points.length) {
            points = Arrays.copyOf(points, size + sorted.length + (size >>> 3));
        }
        int from = size - 1;
        int next = sorted.length - 1;
        size += sorted.length;
        for (int to = size - 1; next >= 0; to--) {
            points[to] = from >= 0 && points[from] > sorted[next] ? points[from--] : sorted[next--];
        }
    }

    /** Removes a bucket; returns its points. */
    long[] remove(int bucket) {
        long[] removed = new long[16];
        int kept = 0;
        for (int i = 0; i < size; i++) {
            if (bucketOf(points[i]) == bucket) {
                if (i - kept == removed.length) {
                    removed = Arrays.copyOf(removed, 2 * removed.length);
                }
                removed[i - kept] = points[i];
            } else {
                points[kept++] = points[i];
            }
        }
        long[] result = Arrays.copyOf(removed, size - kept);
        size = kept;
        return result;
    }

    /** The bucket of a position. */
    int bucket(long position) {
        return bucketOf(points[ceiling(position)]);
    }

    /** The other buckets that come next after a bucket's points: those that its arcs were taken from. */
    int[] successors(int bucket) {
        int[] successors = new int[16];
        int count = 0;
        for (int i = 0; i < size; i++) {
            int next = bucketOf(points[i + 1 == size ? 0 : i + 1]);
            if (bucketOf(points[i]) == bucket && next != bucket) {
                if (count == successors.length) {
                    successors = Arrays.copyOf(successors, 2 * count);
                }
                successors[count++] = next;
            }
        }
        return Arrays.stream(successors, 0, count).distinct().toArray();
    }

    /** The index of the first point from a position on; that of the first of all where there is none. */
    private int ceiling(long position) {
        long wanted = point(0, position);
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (points[middle] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == size ? 0 : low;
    }

    int size() {
        return size;
    }
}
