package dev.fbf.loadtest.paper.cuckoo;

/** Theorem 4: up to which ratio of elements to buckets an I2CF is said to store all of them. */
final class Threshold {

    private Threshold() {}

    /** The ratio n/m where equations 7 and 8 are equal. */
    static double of(int candidates, int slots, long buckets) {
        double low = 0.01;
        double high = slots;
        for (int i = 0; i < 100; i++) {
            double ratio = (low + high) / 2;
            if (usable(candidates, slots, buckets, ratio) > ratio / slots) {
                low = ratio;
            } else {
                high = ratio;
            }
        }
        return low;
    }

    /** Equation 7: the part of the slots that may be used. */
    static double usable(int candidates, int slots, long buckets, double ratio) {
        double elements = ratio * buckets;
        double mapped = -Math.expm1(candidates * Math.log1p(-1.0 / buckets)); // equation 5
        double probability = Math.exp(elements * Math.log1p(-mapped)); // equation 6 of none
        double unused = 0;
        for (int i = 0; i < slots; i++) {
            unused += (1 - (double) i / slots) * probability;
            probability *= (elements - i) / (i + 1) * mapped / (1 - mapped);
        }
        return 1 - unused;
    }
}
