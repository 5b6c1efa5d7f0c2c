package dev.fbf.loadtest.paper;

/** Independent hash functions, one for each seed. */
final class Hash {

    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private Hash() {}

    static long of(long seed, long value) {
        return mix(mix(seed + GOLDEN_RATIO) ^ mix(value));
    }

    /** Returns one of the positions of an element: of a SplitMix64 sequence that begins at its hash. */
    static int position(long hash, int probe, int positions) {
        return (int) Long.remainderUnsigned(mix(hash + (probe + 1) * GOLDEN_RATIO), positions);
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
