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

    /** Determines the candidate buckets of an entry. */
    interface Candidates {

        /**
         * Determines them.
         *
         * @param bucket the one that the entry is in, from which a cuckoo filter derives the other
         * @param candidates is filled
         */
        void of(long entry, int bucket, int[] candidates);
    }

    private final Buckets buckets;
    private final Candidates candidates;
    private final int max;
    private final int[] ofVictim;
    private long random;

    Reallocation(Buckets buckets, Candidates candidates, int perEntry, int max, long seed) {
        this.buckets = buckets;
        this.candidates = candidates;
        this.max = max;
        ofVictim = new int[perEntry];
        random = seed;
    }

    /** Stores an entry in one of its candidate buckets; returns whether that was possible. */
    boolean insert(long entry, int[] ofEntry) {
        if (add(entry, ofEntry)) {
            return true;
        }
        Buckets.Saved before = buckets.save();
        int bucket = ofEntry[below(ofEntry.length)];
        long homeless = entry;
        for (int i = 0; i < max; i++) {
            homeless = buckets.swap(bucket, below(buckets.slots()), homeless);
            candidates.of(homeless, bucket, ofVictim);
            if (addElsewhere(homeless, bucket)) {
                return true;
            }
            bucket = another(bucket);
        }
        buckets.restore(before);
        return false;
    }

    /** Stores an entry if a candidate bucket has room for it. */
    boolean add(long entry, int[] ofEntry) {
        for (int candidate : ofEntry) {
            if (buckets.add(candidate, entry)) {
                return true;
            }
        }
        return false;
    }

    private boolean addElsewhere(long victim, int bucket) {
        for (int candidate : ofVictim) {
            if (candidate != bucket && buckets.add(candidate, victim)) {
                return true;
            }
        }
        return false;
    }

    /** One of the victim's other candidates at random; the same bucket where all of them are it ("mapping conflict"). */
    private int another(int bucket) {
        int first = below(ofVictim.length);
        for (int i = 0; i < ofVictim.length; i++) {
            int candidate = ofVictim[(first + i) % ofVictim.length];
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
