package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;

/**
 * Insertion by cuckoo hashing (sections II and III-A): where all candidate buckets are full, a random entry of one of
 * them makes room and is reallocated to another of its own candidates, at most {@code max} times.
 *
 * <p>The paper does not say where the last victim goes when all {@code max} reallocations were in vain. It must not be
 * lost, so they are undone here, and the new entry is refused.
 */
final class Reallocation {

    /** Candidate buckets of a fingerprint. */
    interface Candidates {

        /** Returns them, given the one that the fingerprint is in: a cuckoo filter derives the other from it. */
        Bucket[] of(long fingerprint, Bucket bucket);
    }

    private final Candidates candidates;
    private final Bucket[] path;
    private final int[] slots;
    private long random;

    Reallocation(Candidates candidates, int max, long seed) {
        this.candidates = candidates;
        path = new Bucket[max];
        slots = new int[max];
        random = seed;
    }

    /** Stores a fingerprint in one of its candidate buckets; returns whether that was possible. */
    boolean insert(long fingerprint, Bucket... own) {
        if (add(fingerprint, own)) {
            return true;
        }
        Bucket bucket = own[below(own.length)];
        long homeless = fingerprint;
        for (int i = 0; i < path.length; i++) {
            path[i] = bucket;
            slots[i] = below(bucket.slots());
            homeless = bucket.swap(slots[i], homeless);
            Bucket[] ofVictim = candidates.of(homeless, bucket);
            if (addElsewhere(homeless, bucket, ofVictim)) {
                return true;
            }
            bucket = another(bucket, ofVictim);
        }
        for (int i = path.length - 1; i >= 0; i--) {
            homeless = path[i].swap(slots[i], homeless);
        }
        return false;
    }

    /** Stores a fingerprint if a candidate bucket has room for it. */
    static boolean add(long fingerprint, Bucket... candidates) {
        for (Bucket candidate : candidates) {
            if (candidate.add(fingerprint)) {
                return true;
            }
        }
        return false;
    }

    private static boolean addElsewhere(long victim, Bucket bucket, Bucket... candidates) {
        for (Bucket candidate : candidates) {
            if (candidate != bucket && candidate.add(victim)) {
                return true;
            }
        }
        return false;
    }

    /** One of the victim's other candidates at random; the same bucket where all of them are it ("mapping conflict"). */
    private Bucket another(Bucket bucket, Bucket... candidates) {
        int first = below(candidates.length);
        for (int i = 0; i < candidates.length; i++) {
            Bucket candidate = candidates[(first + i) % candidates.length];
            if (candidate != bucket) {
                return candidate;
            }
        }
        return bucket;
    }

    private int below(int bound) {
        return (int) Hash.below(Hash.of(1, ++random), bound);
    }
}
