package dev.fbf.loadtest.paper.cuckoo;

import java.util.function.LongPredicate;

/**
 * A cuckoo filter, section II (Fan, Andersen, Kaminsky and Mitzenmacher 2014): two candidate buckets by partial-key
 * cuckoo hashing, {@code h2 = h1 xor hash(fingerprint)}, and so a power of two of buckets.
 *
 * <p>An entry may have a tag beside its fingerprint, which is stored and moved along with it.
 */
final class CuckooFilter implements DynamicSet {

    private static final int CANDIDATES = 2;
    private static final long BUCKET_SEED = 2;
    private static final long FINGERPRINT_SEED = 3;

    private final Fingerprint fingerprint;
    private final int mask;
    private final Buckets buckets;
    private final Reallocation reallocation;
    private final int[] candidates = new int[CANDIDATES];

    CuckooFilter(int buckets, int slots, int fingerprintBits, int max, long seed) {
        this(buckets, slots, fingerprintBits, 0, max, seed);
    }

    CuckooFilter(int buckets, int slots, int fingerprintBits, int tagBits, int max, long seed) {
        if (Integer.bitCount(buckets) != 1) {
            throw new IllegalArgumentException("buckets=" + buckets + ": must be a power of two");
        }
        fingerprint = new Fingerprint(fingerprintBits);
        mask = buckets - 1;
        this.buckets = new Buckets(buckets, slots, fingerprintBits, tagBits);
        reallocation = new Reallocation(this.buckets, this::candidates, CANDIDATES, max, seed);
    }

    @Override
    public boolean insert(long element) {
        return insert(element, 0);
    }

    boolean insert(long element, long tag) {
        long hash = fingerprint.of(element);
        candidates(hash, firstBucket(element), candidates);
        return reallocation.insert((tag << fingerprint.bits()) | hash, candidates);
    }

    @Override
    public boolean contains(long element) {
        long hash = fingerprint.of(element);
        int first = firstBucket(element);
        return buckets.find(first, hash) != Buckets.NONE || buckets.find(other(first, hash), hash) != Buckets.NONE;
    }

    @Override
    public boolean delete(long element) {
        return delete(fingerprint.of(element), firstBucket(element));
    }

    /** Deletes by what is kept of an element: its fingerprint and one of its candidate buckets. */
    boolean delete(long hash, int bucket) {
        candidates(hash, bucket, candidates);
        for (int candidate : candidates) {
            int slot = buckets.find(candidate, hash);
            if (slot != Buckets.NONE) {
                buckets.clear(candidate, slot);
                return true;
            }
        }
        return false;
    }

    /** Reads all slots, and empties those with a tag. */
    void deleteAll(LongPredicate tag) {
        for (int bucket = 0; bucket <= mask; bucket++) {
            for (int slot = 0; slot < buckets.slots(); slot++) {
                long entry = buckets.get(bucket, slot);
                if (entry != 0 && tag.test(entry >>> fingerprint.bits())) {
                    buckets.clear(bucket, slot);
                }
            }
        }
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

    long fingerprint(long element) {
        return fingerprint.of(element);
    }

    /** h1. */
    int firstBucket(long element) {
        return (int) Hash.of(BUCKET_SEED, element) & mask;
    }

    private void candidates(long entry, int bucket, int[] into) {
        into[0] = bucket;
        into[1] = other(bucket, entry & fingerprint.values());
    }

    private int other(int bucket, long hash) {
        return bucket ^ ((int) Hash.of(FINGERPRINT_SEED, hash) & mask);
    }

    @Override
    public int size() {
        return buckets.entries();
    }

    @Override
    public int buckets() {
        return buckets.count();
    }

    @Override
    public long slots() {
        return (long) buckets.count() * buckets.slots();
    }

    @Override
    public int filters() {
        return 1;
    }

    /** Section II: {@code 1 - (1 - 1/2^f)^(2b)}, where all slots are taken. */
    @Override
    public double modelledFpp() {
        return modelledFpp(fingerprint.bits(), buckets.slots());
    }

    static double modelledFpp(int fingerprintBits, int slots) {
        return -Math.expm1(CANDIDATES * slots * Math.log1p(-Math.scalb(1.0, -fingerprintBits)));
    }
}
