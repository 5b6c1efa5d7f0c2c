package dev.fbf.loadtest.paper.cuckoo;

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

    Shape withCandidates(int k) {
        return new Shape(k, slots, fingerprintBits, virtualNodes, max, ringLength);
    }

    Shape withSlots(int b) {
        return new Shape(candidates, b, fingerprintBits, virtualNodes, max, ringLength);
    }

    Shape withFingerprintBits(int f) {
        return new Shape(candidates, slots, f, virtualNodes, max, ringLength);
    }

    Shape withVirtualNodes(int v) {
        return new Shape(candidates, slots, fingerprintBits, v, max, ringLength);
    }

    Shape withMax(int reallocations) {
        return new Shape(candidates, slots, fingerprintBits, virtualNodes, reallocations, ringLength);
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
