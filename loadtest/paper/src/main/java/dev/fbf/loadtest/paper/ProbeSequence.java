package dev.fbf.loadtest.paper;

/** The positions of an element: a SplitMix64 sequence that begins at a hash of the seed and the element. */
final class ProbeSequence {

    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private ProbeSequence() {}

    static long start(long seed, long element) {
        return mix(mix(seed + GOLDEN_RATIO) ^ mix(element));
    }

    static long next(long probe) {
        return probe + GOLDEN_RATIO;
    }

    static int position(long probe, int positions) {
        return (int) Long.remainderUnsigned(mix(probe), positions);
    }

    /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
    private static long mix(long value) {
        long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
