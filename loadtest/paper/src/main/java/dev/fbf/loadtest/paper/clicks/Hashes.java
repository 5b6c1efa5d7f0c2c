package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;

/** Positions of a click, from the two halves of its id: a digest needs no further hash. */
final class Hashes {

    private Hashes() {}

    /** A position from 0 to {@code positions} − 1, by double hashing (Kirsch and Mitzenmacher, 2006). */
    static long position(OperationId click, int hash, long positions) {
        return reduce(click.high() + hash * (click.low() | 1), positions);
    }

    /** The high half of the unsigned product, without a division. */
    static long reduce(long hash, long positions) {
        return Math.multiplyHigh(hash, positions) + (hash >> 63 & positions);
    }

    /** The finalizer of SplitMix64. */
    static long mix(long z) {
        long y = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        y = (y ^ y >>> 27) * 0x94D049BB133111EBL;
        return y ^ y >>> 31;
    }
}
