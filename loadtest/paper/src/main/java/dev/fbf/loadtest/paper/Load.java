package dev.fbf.loadtest.paper;

import java.util.Arrays;

/** What a filter has been filled with, and the models that tell its false positive probability from that alone. */
final class Load {

    private final double[] elements;
    private final double positions;
    private final int probes;
    private final int past;

    /**
     * Describes a filling.
     *
     * @param elements how many elements came in each of the last N + 2 periods, the current one first
     */
    Load(double[] elements, double positions, int probes, int past) {
        this.elements = elements.clone();
        this.positions = positions;
        this.probes = probes;
        this.past = past;
    }

    /** As many elements in every period, of which the current one is over. */
    static Load steady(double elementsPerPeriod, double positions, int probes, int past) {
        double[] elements = new double[past + 2];
        Arrays.fill(elements, elementsPerPeriod);
        return new Load(elements, positions, probes, past);
    }

    /** Equations 1 to 3 as the paper prints them: neighbouring generations count as independent. */
    double equation3() {
        double absent = (1 - single(elements[0])) * (1 - ofGeneration(past + 1));
        for (int generation = 1; generation <= past; generation++) {
            absent *= 1 - ofGeneration(generation) * ofGeneration(generation + 1);
        }
        return 1 - absent;
    }

    /** What the paper's equation would be for {@link Rule#SINGLE}, whose generations really are independent: exact. */
    double single() {
        double absent = 1;
        for (double inPeriod : elements) {
            absent *= 1 - single(inPeriod);
        }
        return 1 - absent;
    }

    /** The model that a rule's own resizing would go by. */
    double model(Rule rule) {
        return rule == Rule.SINGLE ? single() : equation3();
    }

    /** Counts what neighbours share, for any rule and any load; takes time and memory for 2^(N + 2) sets. */
    double exact(Rule rule) {
        double[] share = new double[1 << (past + 2)];
        share[0] = 1;
        for (int period = 0; period < past + 2; period++) {
            double hit = hit(elements[period]);
            int generations = (int) (rule.insertedInto() << period & Rule.live(past));
            double[] next = new double[share.length];
            for (int set = 0; set < share.length; set++) {
                next[set] += share[set] * (1 - hit);
                next[set | generations] += share[set] * hit;
            }
            share = next;
        }
        return ExactFpp.of(rule, past, probes, share);
    }

    /** Generation 0 holds period 0; generation j holds periods j - 1 and j. */
    private double ofGeneration(int generation) {
        return single(elements[generation - 1] + elements[generation]);
    }

    /** Equation 1. */
    private double single(double count) {
        return Math.pow(hit(count), probes);
    }

    private double hit(double count) {
        return -Math.expm1(-probes * count / positions);
    }
}
