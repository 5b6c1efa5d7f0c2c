package dev.fbf.loadtest.paper;

/** The false positive probability that follows from how often each set of generations occurs among the positions. */
final class ExactFpp {

    private ExactFpp() {}

    /**
     * Adds up the probabilities of all sets of generations that make an absent element present.
     *
     * @param share the share of the positions that are set in exactly these generations, for each set; is overwritten
     */
    static double of(Rule rule, int past, int probes, double[] share) {
        /*
         * An absent element is found in the generations that all its k positions have in common. Let s(G) be the share
         * of the positions set in G and perhaps in more: then P(found in G and perhaps in more) = s(G)^k, and
         * P(found in exactly G) follows by taking away what is found in more. Both steps go generation by generation.
         */
        for (int bit = 1; bit < share.length; bit <<= 1) {
            for (int set = 0; set < share.length; set++) {
                if ((set & bit) == 0) {
                    share[set] += share[set | bit];
                }
            }
        }
        for (int set = 0; set < share.length; set++) {
            share[set] = Math.pow(share[set], probes);
        }
        for (int bit = 1; bit < share.length; bit <<= 1) {
            for (int set = 0; set < share.length; set++) {
                if ((set & bit) == 0) {
                    share[set] -= share[set | bit];
                }
            }
        }
        double fpp = 0;
        for (int set = 0; set < share.length; set++) {
            fpp += rule.present(set, past) ? share[set] : 0;
        }
        return fpp;
    }
}
