package dev.fbf.loadtest.paper.cuckoo;

/**
 * Theorem 5: an upper bound for the probability that an I2CF stores n fingerprints. Its sum begins at n/b rounded up and
 * ends at the smaller of n * k and m; the paper prints "rounded down" and "the larger of". Equation 11 has n where there
 * are n * k mappings.
 */
final class Occupancy {

    private Occupancy() {}

    /** Equation 11: the probability that so many mappings, at random, meet exactly j of the buckets. */
    static double exactly(int j, int mappings, int buckets) {
        double[] probability = new double[Math.max(mappings, j) + 1];
        probability[0] = 1;
        for (int i = 0; i < mappings; i++) {
            for (int met = i + 1; met >= 1; met--) {
                probability[met] =
                        probability[met] * met / buckets + probability[met - 1] * (buckets - met + 1) / buckets;
            }
            probability[0] = 0;
        }
        return probability[j];
    }

    /** Equation 10. */
    static double bound(int elements, int candidates, int slots, int buckets) {
        int mappings = elements * candidates;
        double sum = 0;
        for (int j = (elements + slots - 1) / slots; j <= Math.min(mappings, buckets); j++) {
            sum += exactly(j, mappings, buckets);
        }
        return sum;
    }

    /** How often so many elements are all stored, of tables with a maximum matching. */
    static double counted(int elements, int candidates, int slots, int buckets, int tables) {
        int stored = 0;
        for (int seed = 0; seed < tables; seed++) {
            double ratio = PerfectTable.ratioAtFirstRefusal(candidates, slots, buckets, seed);
            stored += Math.round(ratio * buckets) >= elements ? 1 : 0;
        }
        return (double) stored / tables;
    }
}
