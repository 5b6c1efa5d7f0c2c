package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * CCF, sections III-B to III-D: several I2CFs, which are added and merged, and whose buckets are added and removed.
 *
 * <p>Algorithm 4 as printed cannot work: its insertion (algorithm 1) extends the CCF and so never fails, and a CCF of
 * one filter is emptied of it. Here the insertion of {@link #compact} extends nothing, and the last filter stays. The
 * paper leaves open when a CCF is downsized; here it is tried after each deletion: compact where the other filters have
 * as many empty slots as the least-loaded filter has fingerprints, scale down of the bucket that lost a fingerprint
 * where it has fewer than {@code mergeBelow} left.
 */
final class ConsistentCuckooFilter implements DynamicSet {

    /** Section V-A: "we only try to merge the buckets which store less than 2 fingerprints". */
    static final int MERGE_BELOW = 2;

    private final Shape shape;
    private final Resizing resizing;
    private final int bucketsOfAFilter;
    private final int mostFilters;
    private final int mergeBelow;
    private final List<IndexIndependentCuckooFilter> filters = new ArrayList<>();
    private long seed;
    private int size;

    /**
     * Makes an empty one of one filter.
     *
     * @param bucketsOfAFilter how many buckets each filter begins with
     * @param mostFilters the threshold for s of section III-B; only {@link Resizing#BOTH} has one
     * @param mergeBelow below how many fingerprints a bucket is worth merging
     */
    ConsistentCuckooFilter(
            Shape shape, Resizing resizing, int bucketsOfAFilter, int mostFilters, int mergeBelow, long seed) {
        this.shape = shape;
        this.resizing = resizing;
        this.bucketsOfAFilter = bucketsOfAFilter;
        this.mostFilters = mostFilters;
        this.mergeBelow = mergeBelow;
        this.seed = seed;
        scaleOut();
    }

    /** CCF_B of section V-A. */
    static ConsistentCuckooFilter byBuckets(Shape shape, long seed) {
        return new ConsistentCuckooFilter(shape, Resizing.BUCKETS, 1, 1, MERGE_BELOW, seed);
    }

    /** CCF_F of section V-A, each filter with m buckets. */
    static ConsistentCuckooFilter byFilters(Shape shape, int buckets, long seed) {
        return new ConsistentCuckooFilter(shape, Resizing.FILTERS, buckets, Integer.MAX_VALUE, MERGE_BELOW, seed);
    }

    /**
     * Algorithm 1. The active filter is the one with the fewest elements; a new one is that.
     *
     * @return false if the filter cannot be added to and its candidate buckets are full of this very fingerprint, which
     *     no further bucket changes
     */
    @Override
    public boolean insert(long element) {
        long hash = shape.fingerprint(element);
        if (!active().insert(hash) && !extend(hash)) {
            return false;
        }
        size++;
        return true;
    }

    private boolean extend(long hash) {
        if (resizing == Resizing.FILTERS || (resizing == Resizing.BOTH && filters.size() < mostFilters)) {
            return scaleOut().insert(hash);
        }
        IndexIndependentCuckooFilter shortest = shortest();
        if (shortest.isFullOf(hash)) {
            return false;
        }
        shortest.scaleUp(hash);
        return true;
    }

    /** Scale out: adds an untapped filter. */
    private IndexIndependentCuckooFilter scaleOut() {
        IndexIndependentCuckooFilter filter =
                new IndexIndependentCuckooFilter(shape, bucketsOfAFilter, Hash.of(4, ++seed));
        filters.add(filter);
        return filter;
    }

    private IndexIndependentCuckooFilter active() {
        return Collections.min(filters, Comparator.comparingInt(IndexIndependentCuckooFilter::size));
    }

    private IndexIndependentCuckooFilter shortest() {
        return Collections.min(filters, Comparator.comparingInt(IndexIndependentCuckooFilter::buckets));
    }

    /** Algorithm 2. */
    @Override
    public boolean contains(long element) {
        long hash = shape.fingerprint(element);
        for (IndexIndependentCuckooFilter filter : filters) {
            if (filter.contains(hash)) {
                return true;
            }
        }
        return false;
    }

    /** Algorithm 3. */
    @Override
    public boolean delete(long element) {
        long hash = shape.fingerprint(element);
        for (IndexIndependentCuckooFilter filter : filters) {
            Bucket bucket = filter.delete(hash);
            if (bucket != null) {
                size--;
                downsize(filter, bucket);
                return true;
            }
        }
        return false;
    }

    private void downsize(IndexIndependentCuckooFilter filter, Bucket bucket) {
        boolean compacted = resizing != Resizing.BUCKETS && compact();
        if (!compacted && resizing != Resizing.FILTERS && bucket.size() < mergeBelow) {
            filter.scaleDown(bucket);
        }
    }

    /**
     * Algorithm 4: merges the least-loaded filter into the others for as long as its fingerprints have room there;
     * returns whether any was merged. A fingerprint goes where it needs no reallocation, else into the active filter.
     */
    boolean compact() {
        boolean success = false;
        while (filters.size() > 1) {
            IndexIndependentCuckooFilter least = active();
            List<IndexIndependentCuckooFilter> others = new ArrayList<>(filters);
            others.remove(least);
            if (size > slots() - least.slots() || !merge(least, others)) {
                break;
            }
            filters.remove(least);
            success = true;
        }
        return success;
    }

    private static boolean merge(IndexIndependentCuckooFilter least, List<IndexIndependentCuckooFilter> others) {
        others.sort(Comparator.comparingInt(IndexIndependentCuckooFilter::size));
        List<Map<Bucket, long[]>> before =
                others.stream().map(IndexIndependentCuckooFilter::save).toList();
        for (long hash : least.fingerprints()) {
            if (!insertInto(others, hash)) {
                before.forEach(IndexIndependentCuckooFilter::restore);
                return false;
            }
        }
        return true;
    }

    private static boolean insertInto(List<IndexIndependentCuckooFilter> others, long hash) {
        for (IndexIndependentCuckooFilter other : others) {
            if (other.size() < other.slots() && other.add(hash)) {
                return true;
            }
        }
        return others.get(0).insert(hash);
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int buckets() {
        return filters.stream().mapToInt(IndexIndependentCuckooFilter::buckets).sum();
    }

    @Override
    public long slots() {
        return (long) buckets() * shape.slots();
    }

    @Override
    public int filters() {
        return filters.size();
    }
}
