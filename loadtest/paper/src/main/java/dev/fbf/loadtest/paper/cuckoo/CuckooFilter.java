package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;

/**
 * A cuckoo filter, section II (Fan, Andersen, Kaminsky and Mitzenmacher 2014): two candidate buckets by partial-key
 * cuckoo hashing, {@code h2 = h1 xor hash(fingerprint)}, and so a power of two of buckets.
 */
final class CuckooFilter {

    private static final int CANDIDATES = 2;
    private static final long BUCKET_SEED = 2;
    private static final long FINGERPRINT_SEED = 3;

    private final Fingerprint fingerprint;
    private final int mask;
    private final Buckets buckets;
    private final Reallocation reallocation;
    private final int[] candidates = new int[CANDIDATES];

    CuckooFilter(Shape shape, int buckets, long seed) {
        if (Integer.bitCount(buckets) != 1) {
            throw new IllegalArgumentException("buckets=" + buckets + ": must be a power of two");
        }
        fingerprint = new Fingerprint(shape.fingerprintBits());
        mask = buckets - 1;
        this.buckets = new Buckets(buckets, shape.slots(), shape.fingerprintBits());
        reallocation = new Reallocation(this.buckets, this::candidates, CANDIDATES, shape.max(), seed);
    }

    boolean insert(long element) {
        long hash = fingerprint.of(element);
        candidates(hash, firstBucket(element), candidates);
        return reallocation.insert(hash, candidates);
    }

    boolean contains(long element) {
        long hash = fingerprint.of(element);
        int first = firstBucket(element);
        return buckets.find(first, hash) != Buckets.NONE || buckets.find(other(first, hash), hash) != Buckets.NONE;
    }

    boolean delete(long element) {
        long hash = fingerprint.of(element);
        candidates(hash, firstBucket(element), candidates);
        for (int candidate : candidates) {
            int slot = buckets.find(candidate, hash);
            if (slot != Buckets.NONE) {
                buckets.clear(candidate, slot);
                return true;
            }
        }
        return false;
    }

    /** Moves an entry to the same bucket of another filter of the same kind; returns whether there was room. */
    boolean move(int bucket, int slot, CuckooFilter to) {
        if (!to.buckets.add(bucket, buckets.get(bucket, slot))) {
            return false;
        }
        buckets.clear(bucket, slot);
        return true;
    }

    boolean isEmpty(int bucket, int slot) {
        return buckets.get(bucket, slot) == 0;
    }

    /** h1. */
    private int firstBucket(long element) {
        return (int) Hash.of(BUCKET_SEED, element) & mask;
    }

    private void candidates(long entry, int bucket, int[] into) {
        into[0] = bucket;
        into[1] = other(bucket, entry);
    }

    private int other(int bucket, long hash) {
        return bucket ^ ((int) Hash.of(FINGERPRINT_SEED, hash) & mask);
    }

    int size() {
        return buckets.entries();
    }

    long slots() {
        return (long) buckets.count() * buckets.slots();
    }
}
