package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.pages.Plot;
import java.util.List;

/** Figure 8: the optimised membership check against the simple one. */
final class OptimizedCheck extends Experiment {

    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;
    private static final int CLAIMED_AT = 300;
    private static final int ABSENT = 200_000;

    OptimizedCheck() {
        super(8, "elements");
    }

    @Override
    Plot measure() {
        for (int elements = 100; elements <= 600; elements += 100) {
            for (Rule rule : List.of(Rule.SIMPLE, Rule.CORRECTED, Rule.SINGLE)) {
                measure(rule, elements, 2, "");
            }
            for (Rule rule : List.of(Rule.SIMPLE, Rule.CORRECTED, Rule.SINGLE)) {
                measure(rule, elements, 4, ", steady");
            }
        }
        figure("gains", each(rule -> over(seed -> gain(rule, 2, seed, false))));
        figure("steadyGain", over(seed -> gain(Rule.CORRECTED, 4, seed, false)));
        figure("countedGain", over(seed -> gain(Rule.CORRECTED, 2, seed, true)));
        figure("gainOverThree", 1 - exact(Rule.CORRECTED) / exact(Rule.SIMPLE));
        return new Plot(
                "Figure 8: optimised and simple check (m = 6,250, k = 5, N = 1)",
                "elements inserted",
                false,
                "false positive probability",
                curves.lines(name -> true));
    }

    private static double exact(Rule rule) {
        return new Filling(100, 3, POSITIONS, PROBES, 1).load().exact(rule);
    }

    private void measure(Rule rule, int elements, int periods, String suffix) {
        curves.measured(
                rule + suffix,
                elements,
                over(seed -> filled(rule, elements, periods, seed).computedFpp()));
    }

    private static double gain(Rule rule, int periods, long seed, boolean counted) {
        SimulatedFilter optimized = filled(rule, CLAIMED_AT, periods, seed);
        SimulatedFilter simple = filled(Rule.SIMPLE, CLAIMED_AT, periods, seed);
        return counted
                ? 1 - optimized.countedFpp(ABSENT) / simple.countedFpp(ABSENT)
                : 1 - optimized.computedFpp() / simple.computedFpp();
    }

    private static SimulatedFilter filled(Rule rule, int elements, int periods, long seed) {
        return new Filling(elements / 2.0, periods, POSITIONS, PROBES, 1).fill(rule, seed);
    }
}
