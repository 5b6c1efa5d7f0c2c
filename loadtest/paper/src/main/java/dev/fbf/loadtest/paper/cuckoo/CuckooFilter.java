package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A cuckoo filter, section II (Fan, Andersen, Kaminsky and Mitzenmacher 2014): two candidate buckets by partial-key
 * cuckoo hashing, {@code h2 = h1 xor hash(fingerprint)}, and so a power of two of buckets.
 */
final class CuckooFilter {

    private static final long BUCKET_SEED = 2;
    private static final long FINGERPRINT_SEED = 3;

    private final Shape shape;
    private final List<Bucket> buckets;
    private final Reallocation reallocation;

    CuckooFilter(Shape shape, int buckets, long seed) {
        if (Integer.bitCount(buckets) != 1) {
            throw new IllegalArgumentException("buckets=" + buckets + ": must be a power of two");
        }
        this.shape = shape;
        this.buckets = IntStream.range(0, buckets)
                .mapToObj(number -> new Bucket(number, shape.slots()))
                .toList();
        reallocation = new Reallocation(this::candidates, shape.max(), seed);
    }

    boolean insert(long element) {
        return reallocation.insert(shape.fingerprint(element), candidates(element));
    }

    boolean contains(long element) {
        Bucket[] candidates = candidates(element);
        long fingerprint = shape.fingerprint(element);
        return candidates[0].contains(fingerprint) || candidates[1].contains(fingerprint);
    }

    boolean delete(long element) {
        Bucket[] candidates = candidates(element);
        long fingerprint = shape.fingerprint(element);
        return candidates[0].remove(fingerprint) || candidates[1].remove(fingerprint);
    }

    private Bucket[] candidates(long element) {
        int first = (int) Hash.of(BUCKET_SEED, element) & (buckets.size() - 1); // h1
        return candidates(shape.fingerprint(element), buckets.get(first));
    }

    private Bucket[] candidates(long fingerprint, Bucket bucket) {
        int other = bucket.number() ^ ((int) Hash.of(FINGERPRINT_SEED, fingerprint) & (buckets.size() - 1));
        return new Bucket[] {bucket, buckets.get(other)};
    }

    List<Bucket> buckets() {
        return buckets;
    }

    int size() {
        return buckets.stream().mapToInt(Bucket::size).sum();
    }

    long slots() {
        return (long) buckets.size() * shape.slots();
    }
}
