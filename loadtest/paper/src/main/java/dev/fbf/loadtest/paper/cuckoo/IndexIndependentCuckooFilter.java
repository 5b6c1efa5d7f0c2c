package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * I2CF, section III-A: a cuckoo filter whose k candidate buckets are found on a consistent hash ring, so that buckets
 * can be added ({@link #scaleUp}) and removed ({@link #scaleDown}) one by one, section III-D.
 *
 * <p>The candidates follow from the fingerprint alone. Elements with the same fingerprint have the same candidates, and
 * no more than {@code k * b} of them fit in.
 */
final class IndexIndependentCuckooFilter {

    /** The smallest seeds are those of the fingerprint and of h_1 to h_k. */
    private static final long FIRST_CANDIDATE_SEED = 100;

    private final Shape shape;
    private final long seed;
    private final Ring ring;
    private final Buckets buckets;
    private final Reallocation reallocation;
    private final int[] candidates;
    private final Deque<Integer> removed = new ArrayDeque<>();
    private int bucketCount;
    /** How many buckets were ever added: each gets positions of its own. */
    private long added;

    IndexIndependentCuckooFilter(Shape shape, int bucketCount, long seed) {
        this.shape = shape;
        this.seed = seed;
        ring = new Ring(shape.ringLength());
        buckets = new Buckets(bucketCount, shape.slots(), shape.fingerprintBits());
        candidates = new int[shape.candidates()];
        reallocation = new Reallocation(
                buckets, (entry, bucket, into) -> candidates(entry, into), shape.candidates(), shape.max(), seed);
        this.bucketCount = bucketCount;
        for (int bucket = 0; bucket < bucketCount; bucket++) {
            ring.add(bucket, newPoints());
        }
    }

    private long[] newPoints() {
        long bucketSeed = Hash.of(seed, added++);
        long[] points = new long[shape.virtualNodes()];
        for (int i = 0; i < points.length; i++) {
            points[i] = Hash.below(Hash.of(bucketSeed, i), shape.ringLength());
        }
        return points;
    }

    /** The buckets of h_1 to h_k of a fingerprint. */
    private void candidates(long fingerprint, int[] into) {
        for (int i = 0; i < into.length; i++) {
            into[i] = candidate(fingerprint, i);
        }
    }

    private int candidate(long fingerprint, int i) {
        return ring.bucket(Hash.below(Hash.of(FIRST_CANDIDATE_SEED + i, fingerprint), shape.ringLength()));
    }

    /** Stores a fingerprint within max reallocations; returns whether that was possible. */
    boolean insert(long fingerprint) {
        candidates(fingerprint, candidates);
        return reallocation.insert(fingerprint, candidates);
    }

    /** Stores a fingerprint without any reallocation; returns whether that was possible. */
    boolean add(long fingerprint) {
        candidates(fingerprint, candidates);
        return reallocation.add(fingerprint, candidates);
    }

    boolean contains(long fingerprint) {
        for (int i = 0; i < shape.candidates(); i++) {
            if (buckets.find(candidate(fingerprint, i), fingerprint) != Buckets.NONE) {
                return true;
            }
        }
        return false;
    }

    /** Removes a fingerprint once; returns the bucket that had it, or {@link Buckets#NONE}. */
    int delete(long fingerprint) {
        for (int i = 0; i < shape.candidates(); i++) {
            int bucket = candidate(fingerprint, i);
            int slot = buckets.find(bucket, fingerprint);
            if (slot != Buckets.NONE) {
                buckets.clear(bucket, slot);
                return bucket;
            }
        }
        return Buckets.NONE;
    }

    /**
     * Scale up: adds buckets until a fingerprint that was refused has room.
     *
     * <p>The paper moves a fingerprint from the successor B_j to the new bucket if it is mapped between. With several
     * virtual nodes there are several successors, and more may have to move than the new bucket can have: these are
     * inserted anew, and further buckets are added until all have room. A fingerprint stays in B_j if another of its
     * hashes is mapped there.
     */
    void scaleUp(long fingerprint) {
        Deque<Long> homeless = new ArrayDeque<>();
        homeless.add(fingerprint);
        do {
            addBucket(homeless);
            homeless.removeIf(this::insert);
        } while (!homeless.isEmpty());
    }

    private void addBucket(Deque<Long> homeless) {
        int bucket = removed.isEmpty() ? buckets.grow() : removed.pop();
        bucketCount++;
        ring.add(bucket, newPoints());
        for (int successor : ring.successors(bucket)) {
            for (int slot = 0; slot < shape.slots(); slot++) {
                long entry = buckets.get(successor, slot);
                if (entry != 0 && !isCandidate(successor, entry)) {
                    buckets.clear(successor, slot);
                    if (!buckets.add(bucket, entry)) {
                        homeless.addFirst(entry);
                    }
                }
            }
        }
    }

    /** Whether all slots of a fingerprint's candidates have just this fingerprint. */
    boolean isFullOf(long fingerprint) {
        for (int i = 0; i < shape.candidates(); i++) {
            int bucket = candidate(fingerprint, i);
            for (int slot = 0; slot < shape.slots(); slot++) {
                if (buckets.get(bucket, slot) != fingerprint) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean isCandidate(int bucket, long fingerprint) {
        for (int i = 0; i < shape.candidates(); i++) {
            if (candidate(fingerprint, i) == bucket) {
                return true;
            }
        }
        return false;
    }

    /**
     * Scale down: removes a bucket if its fingerprints have room in others, its successor first; returns whether they
     * had.
     */
    boolean scaleDown(int bucket) {
        int moving = buckets.entriesIn(bucket);
        if (bucketCount == 1 || size() > slots() - shape.slots()) {
            return false;
        }
        Buckets.Saved saved = buckets.save();
        long[] entries = new long[moving];
        for (int slot = 0; slot < shape.slots(); slot++) {
            long entry = buckets.get(bucket, slot);
            if (entry != 0) {
                entries[--moving] = entry;
                buckets.clear(bucket, slot);
            }
        }
        int[][] before = new int[entries.length][shape.candidates()];
        for (int i = 0; i < entries.length; i++) {
            candidates(entries[i], before[i]);
        }
        long[] points = ring.remove(bucket);
        for (int i = 0; i < entries.length; i++) {
            if (!addToSuccessor(entries[i], before[i], bucket) && !insert(entries[i])) {
                buckets.restore(saved);
                ring.add(bucket, points);
                return false;
            }
        }
        removed.push(bucket);
        bucketCount--;
        return true;
    }

    private boolean addToSuccessor(long fingerprint, int[] before, int bucket) {
        for (int i = 0; i < before.length; i++) {
            if (before[i] == bucket && buckets.add(candidate(fingerprint, i), fingerprint)) {
                return true;
            }
        }
        return false;
    }

    /** How many fingerprints a bucket has. */
    int entriesIn(int bucket) {
        return buckets.entriesIn(bucket);
    }

    /** All fingerprints, each as often as it is stored. */
    long[] fingerprints() {
        long[] all = new long[size()];
        int count = 0;
        for (int bucket = 0; bucket < buckets.count(); bucket++) {
            for (int slot = 0; slot < shape.slots(); slot++) {
                long entry = buckets.get(bucket, slot);
                if (entry != 0) {
                    all[count++] = entry;
                }
            }
        }
        return all;
    }

    Buckets.Saved save() {
        return buckets.save();
    }

    void restore(Buckets.Saved saved) {
        buckets.restore(saved);
    }

    int size() {
        return buckets.entries();
    }

    int buckets() {
        return bucketCount;
    }

    long slots() {
        return (long) bucketCount * shape.slots();
    }
}
