package dev.fbf.loadtest.paper;

/** Independent hash functions, one for each seed. */
public final class Hash {

    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private Hash() {}

    public static long of(long seed, long value) {
        return mix(mix(seed + GOLDEN_RATIO) ^ mix(value));
    }

    /** A hash as an integer from 0 to {@code bound} - 1; {@code bound} is below 2^62. */
    public static long below(long hash, long bound) {
        return Math.multiplyHigh(hash >>> 1, bound << 1);
    }

    /** Returns one of the positions of an element: of a SplitMix64 sequence that begins at its hash. */
    static int position(long hash, int probe, int positions) {
        return (int) Long.remainderUnsigned(mix(hash + (probe + 1) * GOLDEN_RATIO), positions);
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
    public static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
