package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;

/**
 * h_0 of section III-B: maps an element to f bits.
 *
 * <p>The paper's range begins at 0. An empty slot has to be told from a stored fingerprint, so here it begins at 1.
 */
record Fingerprint(int bits) {

    private static final long SEED = 0;

    Fingerprint {
        if (bits < 1 || bits > Buckets.MAX_BITS) {
            throw new IllegalArgumentException("bits=" + bits + ": must be from 1 to " + Buckets.MAX_BITS);
        }
    }

    long of(long element) {
        return 1 + Hash.below(Hash.of(SEED, element), values());
    }

    /** How many different fingerprints there are. */
    long values() {
        return (1L << bits) - 1;
    }
}
