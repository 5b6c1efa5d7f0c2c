package dev.fbf.loadtest.torture.system;

/** The distribution of rare events. */
final class Poisson {

    private Poisson() {}

    /** The probability of so many events or more, where so many are expected. */
    static double atLeast(int seen, double expected) {
        if (seen == 0) {
            return 1;
        }
        double logarithm = seen * Math.log(expected) - expected;
        for (int k = 2; k <= seen; k++) {
            logarithm -= Math.log(k);
        }
        // the terms themselves are added: 1 minus all others could not tell a small sum from zero
        double sum = 0;
        for (int k = seen + 1; k <= expected || Math.exp(logarithm) > sum * Math.ulp(1.0); k++) {
            sum += Math.exp(logarithm);
            logarithm += Math.log(expected / k);
        }
        return Math.min(1, sum);
    }
}
