package dev.fbf.core.plan;

import java.util.Arrays;

/**
 * Model of the false positive probability of a forgetful Bloom filter whose probes are confined to lines. The number of elements in a line
 * is assumed to be Poisson distributed, which needs a few hundred lines.
 */
final class FppModel {

    /*
     * In one period a line gets a Poisson number of elements, λ on average, each with P draws among S slots. The
     * probability that no draw hits any of i given slots is
     *
     *   M(i) = exp(−λ (1 − (1 − i/S)^P))
     *
     * A check of an absent element draws u different slots of a line (P draws again). The probability that all of them are set in a
     * generation is Σ_i (−1)^i C(u, i) M(i).
     *
     * SINGLE: any generation makes the element present; they are independent, and the model is exact.
     * PAPER:  the future generation, two neighbors, or the oldest make it present. Equations 1 to 3 in section IV of the paper, except
     * for neighbors, which share a period: with q = e^(−x) for a period, a position is set in both with 1 − r = (1 − q)(1 + q − q²). So a pair
     * has the false positives of one generation that misses a position with r. That pairs share generations, too, is neglected, which
     * overestimates a little.
     */

    private FppModel() {}

    /** Computes the probability in steady operation at the end of a period, where it is highest, from the elements of a period per line. */
    static double highest(Rule rule, Spread spread, int past, double elementsPerLine) {
        double[] elements = new double[past + 2];
        Arrays.fill(elements, rule.generationsOfPut() * elementsPerLine);
        elements[0] = elementsPerLine;
        return of(rule, spread, elements);
    }

    /**
     * Computes the probability that an absent element is found.
     *
     * @param spread the distribution of an element's positions
     * @param elementsPerLine the elements of each live generation, the newest first, times the lines of an element, over the number of lines
     */
    static double of(Rule rule, Spread spread, double[] elementsPerLine) {
        double[] groups = rule == Rule.SINGLE ? elementsPerLine : groupsOfPaper(spread, elementsPerLine);
        double byNone = 1;
        double group = 0;
        double last = 0;
        for (double elements : groups) {
            if (elements != last) {
                group = ofGeneration(spread, elements);
                last = elements;
            }
            byNone *= 1 - group;
        }
        return 1 - byNone;
    }

    /** Returns the elements of generations that have the false positives of the future generation, each pair, and the oldest one. */
    private static double[] groupsOfPaper(Spread spread, double[] elements) {
        double[] groups = new double[Math.max(2, elements.length - 1)];
        double hit = hit(spread, 1);
        for (int i = 1; i < groups.length - 1; i++) {
            double q = Math.exp(-hit * (elements[i] + elements[i + 1]) / 4); // each holds two periods
            groups[i] = -Math.log1p(-(1 - q) * (1 + q - q * q)) / hit;
        }
        groups[0] = elements[0];
        groups[groups.length - 1] = elements[elements.length - 1];
        return groups;
    }

    /** Computes the probability that an absent element is found in a generation. */
    private static double ofGeneration(Spread spread, double elementsPerLine) {
        double[] different = differentSlots(spread);
        double[] missed = new double[different.length];
        Arrays.setAll(missed, slots -> Math.exp(-elementsPerLine * hit(spread, slots)));
        double line = 0;
        for (int slots = 1; slots < different.length; slots++) {
            double allSet = 0;
            double term = 1; // (−1)^i C(u, i)
            for (int i = 0; i <= slots; i++) {
                allSet += term * missed[i];
                term *= -(slots - i) / (i + 1.0);
            }
            line += different[slots] * allSet;
        }
        return Math.pow(Math.max(0, line), spread.lines());
    }

    /** Computes the probability that an element in a line hits any of some given slots. */
    private static double hit(Spread spread, int slots) {
        return 1 - Math.pow(1 - (double) slots / spread.slots(), spread.probesPerLine());
    }

    /** Computes for each u the probability that P draws among S slots find u different ones. */
    private static double[] differentSlots(Spread spread) {
        double[] probability = new double[spread.probesPerLine() + 1];
        probability[0] = 1;
        for (int draw = 0; draw < spread.probesPerLine(); draw++) {
            for (int different = draw + 1; different > 0; different--) {
                double again = (double) different / spread.slots();
                double another = 1 - (different - 1.0) / spread.slots();
                probability[different] = probability[different] * again + probability[different - 1] * another;
            }
            probability[0] = 0;
        }
        return probability;
    }
}
