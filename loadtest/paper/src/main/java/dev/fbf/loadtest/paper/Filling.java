package dev.fbf.loadtest.paper;

import java.util.Arrays;

/** Elements that come evenly over whole periods; looked at when the last one ends, before its refresh. */
record Filling(double perPeriod, int periods, int positions, int probes, int past) {

    private static final int PERIOD = 5;

    SimulatedFilter fill(Rule rule, long seed) {
        SimulatedFilter filter = new SimulatedFilter(rule, positions, probes, past, seed);
        new Timeline(filter, Workload.steady(perPeriod / PERIOD), PERIOD).runTo((double) periods * PERIOD);
        return filter;
    }

    /** What the models are asked about. */
    Load load() {
        double[] elements = new double[past + 2];
        Arrays.fill(elements, 0, Math.min(periods, past + 2), perPeriod);
        return new Load(elements, positions, probes, past);
    }
}
