package dev.fbf.loadtest.paper.cuckoo;

import dev.fbf.loadtest.paper.Hash;

/**
 * The parameters of an I2CF (section III-B).
 *
 * @param candidates k: how many candidate buckets a fingerprint has
 * @param slots b: how many fingerprints a bucket can have
 * @param fingerprintBits f
 * @param virtualNodes v: how many points a bucket has on the ring
 * @param max how many reallocations an insertion may need
 * @param ringLength M
 */
record Shape(int candidates, int slots, int fingerprintBits, int virtualNodes, int max, long ringLength) {

    /** That of section V-A. */
    static final Shape PAPER = new Shape(2, 3, 30, 10, 1_200, 50_000_000_000L);

    Shape {
        if (candidates < 1 || slots < 1 || virtualNodes < 1) {
            throw new IllegalArgumentException("candidates=" + candidates + ", slots=" + slots + ", virtualNodes="
                    + virtualNodes + ": must be at least 1");
        }
    }

    /** The same with another value of a parameter, by its name in the paper. */
    Shape with(String parameter, int value) {
        return new Shape(
                parameter.equals("k") ? value : candidates,
                parameter.equals("b") ? value : slots,
                parameter.equals("f") ? value : fingerprintBits,
                parameter.equals("v") ? value : virtualNodes,
                parameter.equals("max") ? value : max,
                ringLength);
    }

    /**
     * h_0 of section III-B: maps an element to f bits. The paper's range begins at 0. An empty slot has to be told from a
     * stored fingerprint, so here it begins at 1.
     */
    long fingerprint(long element) {
        return 1 + Hash.below(Hash.of(0, element), (1L << fingerprintBits) - 1);
    }

    /** How many bits the ring takes for each bucket: a position and a bucket's number for each point. */
    long ringBits(int buckets) {
        return (long) virtualNodes * (bits(ringLength) + bits(buckets));
    }

    /** How many bits tell so many values apart. */
    static int bits(long values) {
        return Long.SIZE - Long.numberOfLeadingZeros(Math.max(values, 2) - 1);
    }
}
