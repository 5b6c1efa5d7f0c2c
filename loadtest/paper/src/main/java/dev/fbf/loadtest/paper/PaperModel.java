package dev.fbf.loadtest.paper;

import dev.fbf.core.model.ExactModel;

/**
 * Equations 1 to 3 of the paper's section IV as printed: neighbouring generations count as independent. Since these hold
 * a whole period of elements in common, the result is far too low for N > 1. Kept to reproduce the paper's figures; to
 * decide, there is {@link ExactModel}.
 */
final class PaperModel {

    private PaperModel() {}

    /**
     * Returns the false positive probability under a steady load, when the filter has run for N + 2 periods. Arguments
     * are not checked; the function is total over positive numbers.
     *
     * @param elementsPerPeriod n, how many elements are put in each period
     * @param positions m, how many positions a generation has
     * @param probes κ, how many positions an element sets
     * @param past N, how many past generations there are
     * @param elapsed the part of the current period that has gone by, 0 to 1
     * @return a probability, 0 to 1
     */
    static double fpp(double elementsPerPeriod, double positions, int probes, int past, double elapsed) {
        double load = probes * elementsPerPeriod / positions;
        double future = Math.pow(-Math.expm1(-load * elapsed), probes);
        double present = Math.pow(-Math.expm1(-load * (1 + elapsed)), probes);
        double full = Math.pow(-Math.expm1(-load * 2), probes);
        double absent = (1 - future) * (1 - present * full) * Math.pow(1 - full * full, past - 1) * (1 - full);
        return 1 - absent;
    }
}
