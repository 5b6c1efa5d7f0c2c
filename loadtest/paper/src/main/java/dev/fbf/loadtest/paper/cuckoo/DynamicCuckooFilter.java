package dev.fbf.loadtest.paper.cuckoo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * A dynamic cuckoo filter, section II (Chen, Liao, Jin and Wang 2017): homogeneous cuckoo filters, one of which is
 * active; another one is added when it refuses an element, and a sparse one is merged into the others.
 *
 * <p>Assumed: an element that the active filter refuses is offered to the filter with the fewest elements before one is
 * added. A merge moves an entry to the bucket of the same number in another filter, where the same two candidates are
 * searched, and entries that were moved stay there if the rest of their filter cannot follow.
 */
final class DynamicCuckooFilter implements DynamicSet {

    private final Shape shape;
    private final int buckets;
    private final List<CuckooFilter> filters = new ArrayList<>();
    private CuckooFilter active;
    private long seed;
    private int size;

    /** @param buckets of each filter */
    DynamicCuckooFilter(Shape shape, int buckets, long seed) {
        this.shape = shape;
        this.buckets = buckets;
        this.seed = seed;
        active = another();
    }

    private CuckooFilter another() {
        CuckooFilter filter = new CuckooFilter(shape, buckets, seed++);
        filters.add(filter);
        return filter;
    }

    @Override
    public boolean insert(long element) {
        size++;
        if (active.insert(element)) {
            return true;
        }
        active = least();
        if (!active.insert(element)) {
            active = another();
            active.insert(element);
        }
        return true;
    }

    private CuckooFilter least() {
        return Collections.min(filters, Comparator.comparingInt(CuckooFilter::size));
    }

    @Override
    public boolean contains(long element) {
        for (CuckooFilter filter : filters) {
            if (filter.contains(element)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean delete(long element) {
        for (CuckooFilter filter : filters) {
            if (filter.delete(element)) {
                size--;
                while (compact()) {
                    // until no filter can be merged
                }
                return true;
            }
        }
        return false;
    }

    /** Merges the filter with the fewest elements into the others; returns whether that was possible. */
    private boolean compact() {
        CuckooFilter least = least();
        if (filters.size() == 1 || size > slots() - least.slots()) {
            return false;
        }
        List<CuckooFilter> others = new ArrayList<>(filters);
        others.remove(least);
        others.sort(Comparator.comparingInt(CuckooFilter::size).reversed());
        for (Bucket bucket : least.buckets()) {
            for (long fingerprint : bucket.fingerprints()) {
                if (others.stream()
                        .anyMatch(other -> other.buckets().get(bucket.number()).add(fingerprint))) {
                    bucket.remove(fingerprint);
                }
            }
        }
        if (least.size() > 0) {
            return false;
        }
        filters.remove(least);
        active = active == least ? least() : active;
        return true;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public int buckets() {
        return filters.size() * buckets;
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
