package dev.fbf.core.plan;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Model of the false positive probability of a forgetful Bloom filter whose probes are confined to lines. The model takes into account that
 * neighboring generations share a period, and that the probes within a line depend on each other.
 *
 * <p>The load is steady: every period has the same number of new elements, and the filter has run for N + 2 periods. The number of elements
 * in a line is assumed to be Poisson distributed, which needs a few hundred lines. {@link Spread#free} gives a filter whose probes are not
 * confined. Thread-safe.
 *
 * <p>Source: equations 1 to 3 in section IV of the paper, without their assumption that neighboring generations are independent. For two
 * full neighbors of a free filter, with q = e^(−κn/m), they become ((1 − q)(1 + q − q²))^κ.
 */
public final class ExactModel {

    /*
     * In one period a line gets a Poisson number of elements, λ on average, each with P draws among S slots. The
     * probability that no draw hits any of i given slots is
     *
     *   M(i) = exp(−λ (1 − (1 − i/S)^P))
     *
     * A check of an absent element draws u different slots of a line (P draws again). The probability that all of them are set in a
     * generation that holds one period is Σ_i (−1)^i C(u, i) M(i). The paper's rule checks a whole group of generations, which share
     * periods: a slot satisfies the condition if a Boolean function of "period j hit it" is true. This function is a sum of products of
     * misses, Σ_T c(T) Π_{j ∈ T} miss_j. The product over u slots becomes a sum over all ways to assign each slot one T, of the product of
     * their c(T) and, for each period j, of M(the number of slots whose T contains j).
     */
    private final Spread spread;
    /** M(i) of a full period; computed once, since a plan needs thousands of probabilities. */
    private final double[] missed;

    private final double[] missedInFirst;

    private ExactModel(Spread spread, double elementsPerLine, double elapsed) {
        this.spread = spread;
        missed = missed(spread, elementsPerLine);
        missedInFirst = elapsed == 1 ? missed : missed(spread, elementsPerLine * elapsed);
    }

    /**
     * Computes the probability for the rule {@code SINGLE}: an element is in one generation, and any of the N + 2 live
     * ones makes it present.
     *
     * @param spread the distribution of an element's positions
     * @param elementsPerLine n·B/Λ: elements of a period, times the lines of an element, over the number of lines
     * @param past N, the number of past generations
     * @param elapsed the elapsed part of the current period, 0 to 1
     * @return a probability, 0 to 1
     */
    public static double single(Spread spread, double elementsPerLine, int past, double elapsed) {
        double full = generation(spread, elementsPerLine);
        double present = elapsed == 1 ? full : generation(spread, elementsPerLine * elapsed);
        return 1 - (1 - present) * Math.pow(1 - full, past + 1.0);
    }

    /** Computes the probability that an absent element is found in a generation that holds one period. */
    private static double generation(Spread spread, double elementsPerLine) {
        double[] missed = missed(spread, elementsPerLine);
        double[] different = differentSlots(spread);
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

    /**
     * Computes the probability for the rule {@code PAPER}: an element is in two generations, and the future one, two neighbors or the
     * oldest make it present.
     *
     * @param spread the distribution of an element's positions
     * @param elementsPerLine n·B/Λ: elements of a period, times the lines of an element, over the number of lines
     * @param past N, the number of past generations
     * @param elapsed the elapsed part of the current period, 0 to 1
     * @return a probability, 0 to 1
     */
    public static double paper(Spread spread, double elementsPerLine, int past, double elapsed) {
        // generation 0, the future one, holds period 0, the current one; generation j holds periods j - 1 and j
        double sum = 0;
        double added = 0;
        int[] previous = {};
        for (int first = 0; first <= past; first++) {
            int[] group =
                    first == 0 ? new int[] {0} : first == past ? new int[] {past + 1} : new int[] {first, first + 1};
            boolean asTheOneBefore = first > 3 && first < past;
            if (!asTheOneBefore) {
                added = groupOf(spread, elementsPerLine, elapsed, group)
                        - (first == 0 ? 0 : groupOf(spread, elementsPerLine, elapsed, union(previous, group)));
            }
            sum += added;
            previous = group;
        }
        return sum;
    }

    /** Computes the probability that an absent element is found in every generation of a group. */
    private static double groupOf(Spread spread, double elementsPerLine, double elapsed, int[] generations) {
        int firstPeriod = Math.max(0, generations[0] - 1);
        int periods = generations[generations.length - 1] - firstPeriod + 1;
        int[] needed = new int[generations.length];
        for (int i = 0; i < needed.length; i++) {
            int newest = Math.max(0, generations[i] - 1) - firstPeriod;
            int oldest = generations[i] - firstPeriod;
            needed[i] = 1 << newest | 1 << oldest;
        }
        double currentElapsed = firstPeriod == 0 ? elapsed : 1;
        return new ExactModel(spread, elementsPerLine, currentElapsed).group(periods, needed);
    }

    /**
     * Computes the probability that all probes of an absent element find slots that satisfy the condition.
     *
     * @param periods the number of relevant periods
     * @param needed sets of periods as bits: a slot satisfies the condition if it was hit in one period of each set
     */
    private double group(int periods, int[] needed) {
        double[] coefficients = coefficients(periods, needed);
        double line = 0;
        double[] different = differentSlots(spread);
        for (int slots = 1; slots < different.length; slots++) {
            line += different[slots] * allServe(coefficients, periods, slots, new int[periods], 1);
        }
        return Math.pow(Math.max(0, line), spread.lines());
    }

    /** Computes c(T) for every set T of periods, by Möbius inversion over the sets of periods that missed. */
    private static double[] coefficients(int periods, int[] needed) {
        double[] coefficients = new double[1 << periods];
        for (int missed = 0; missed < coefficients.length; missed++) {
            boolean serves = true;
            for (int set : needed) {
                serves &= (set & ~missed) != 0;
            }
            coefficients[missed] = serves ? 1 : 0;
        }
        for (int period = 0; period < periods; period++) {
            for (int set = 0; set < coefficients.length; set++) {
                if ((set >>> period & 1) == 1) {
                    coefficients[set] -= coefficients[set ^ 1 << period];
                }
            }
        }
        return coefficients;
    }

    private double allServe(double[] coefficients, int periods, int slotsLeft, int[] slotsOfPeriod, double product) {
        if (slotsLeft == 0) {
            double probability = product;
            for (int period = 0; period < periods; period++) {
                probability *= (period == 0 ? missedInFirst : missed)[slotsOfPeriod[period]];
            }
            return probability;
        }
        double sum = 0;
        for (int set = 0; set < coefficients.length; set++) {
            if (coefficients[set] != 0) {
                add(slotsOfPeriod, set, 1);
                sum += allServe(coefficients, periods, slotsLeft - 1, slotsOfPeriod, product * coefficients[set]);
                add(slotsOfPeriod, set, -1);
            }
        }
        return sum;
    }

    private static void add(int[] slotsOfPeriod, int set, int difference) {
        for (int period = 0; period < slotsOfPeriod.length; period++) {
            slotsOfPeriod[period] += (set >>> period & 1) * difference;
        }
    }

    private static double[] missed(Spread spread, double elements) {
        double[] missed = new double[spread.probesPerLine() + 1];
        for (int slots = 0; slots < missed.length; slots++) {
            double hit = 1 - Math.pow(1 - (double) slots / spread.slots(), spread.probesPerLine());
            missed[slots] = Math.exp(-elements * hit);
        }
        return missed;
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

    private static int[] union(int[] first, int[] second) {
        return IntStream.concat(Arrays.stream(first), Arrays.stream(second))
                .distinct()
                .sorted()
                .toArray();
    }
}
