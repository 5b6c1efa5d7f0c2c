package dev.fbf.core.model;

/**
 * The probability that a forgetful Bloom filter under the paper's rule calls an absent element present.
 *
 * <p>The load is steady: every period brings the same number of elements, and the filter has run for at least N + 2
 * periods. Arguments are not checked; the functions are total over positive numbers. Thread-safe.
 */
public enum FalsePositiveModel {

    /**
     * Equations 1 to 3 as the paper prints them: neighbouring generations count as independent. Far too low, since
     * neighbours hold a whole period of elements in common; kept to reproduce the paper's figures.
     */
    PAPER {
        @Override
        public double fpp(double elementsPerPeriod, double positions, int probes, int past, double elapsed) {
            double load = probes * elementsPerPeriod / positions;
            double future = Math.pow(-Math.expm1(-load * elapsed), probes);
            double present = Math.pow(-Math.expm1(-load * (1 + elapsed)), probes);
            double full = Math.pow(-Math.expm1(-load * 2), probes);
            double absent = (1 - future) * (1 - present * full) * Math.pow(1 - full * full, past - 1) * (1 - full);
            return 1 - absent;
        }
    },

    /**
     * Counts what neighbouring generations share. For two full neighbours with q = e^(−κn/m) it gives
     * ((1 − q)(1 + q − q²))^κ. Where three neighbours come together it subtracts what would count twice; what lies
     * beyond is smaller than any count could show.
     */
    EXACT {
        @Override
        public double fpp(double elementsPerPeriod, double positions, int probes, int past, double elapsed) {
            /*
             * Period i (0 is the current one) misses a given position with probability q, the current one with
             * q^elapsed. Generation 0 (future) holds period 0; generation j holds periods j - 1 and j. An answer
             * "present" needs all κ positions in one of these groups of generations:
             *     {0}, {1, 2}, {2, 3}, … {N - 1, N}, {N + 1}
             * ({N, N + 1} lies within {N + 1}). Groups that do not touch are as good as independent and rare, so
             * P(any) = Σ P(group) − Σ P(group and its next) (Hunter's bound).
             */
            double missed = Math.exp(-probes * elementsPerPeriod / positions);
            double missedNow = Math.pow(missed, elapsed);
            double sum = 0;
            long previous = 0;
            for (int first = 0; first <= past; first++) {
                long group = first == 0 ? 1L : first == past ? 1L << (past + 1) : 3L << first;
                sum += Math.pow(allSet(group, past, missed, missedNow), probes);
                if (previous != 0) {
                    sum -= Math.pow(allSet(previous | group, past, missed, missedNow), probes);
                }
                previous = group;
            }
            return sum;
        }

        /** The probability that one position is set in every generation of the group. */
        private static double allSet(long group, int past, double missed, double missedNow) {
            // walks from the newest period to the oldest, carrying whether the last one hit the position
            double hit = 1 - missedNow;
            double miss = (group & 1) == 0 ? missedNow : 0;
            for (int generation = 1; generation <= past + 1; generation++) {
                boolean needed = (group >>> generation & 1) == 1;
                double either = hit + miss;
                miss = (needed ? hit : either) * missed;
                hit = either * (1 - missed);
            }
            return hit + miss;
        }
    };

    /**
     * Returns the false positive probability.
     *
     * @param elementsPerPeriod n, how many elements are put in each period
     * @param positions m, how many positions a generation has
     * @param probes κ, how many positions an element sets
     * @param past N, how many past generations there are, 1 to 62
     * @param elapsed the part of the current period that has gone by, 0 to 1
     * @return a probability, 0 to 1
     */
    public abstract double fpp(double elementsPerPeriod, double positions, int probes, int past, double elapsed);
}
