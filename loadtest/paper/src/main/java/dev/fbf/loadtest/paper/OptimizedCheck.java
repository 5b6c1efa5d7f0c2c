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
            for (int periods : new int[] {2, 4}) {
                for (Rule rule : List.of(Rule.SIMPLE, Rule.CORRECTED, Rule.SINGLE)) {
                    String curve = rule + (periods == 2 ? "" : ", steady");
                    Filling filling = filling(elements, periods);
                    measured(curve, elements, seed -> filling.fill(rule, seed).computedFpp());
                }
            }
        }
        figure("gains", each(rule -> over(seed -> gain(rule, 2, seed, false))));
        figure("steadyGain", over(seed -> gain(Rule.CORRECTED, 4, seed, false)));
        figure("countedGain", over(seed -> gain(Rule.CORRECTED, 2, seed, true)));
        figure("gainOverThree", 1 - exact(Rule.CORRECTED) / exact(Rule.SIMPLE));
        return plot(
                "Figure 8: optimised and simple check (m = 6,250, k = 5, N = 1)",
                "elements inserted",
                false,
                name -> true);
    }

    private static double exact(Rule rule) {
        return new Filling(100, 3, POSITIONS, PROBES, 1).load().exact(rule);
    }

    private static double gain(Rule rule, int periods, long seed, boolean counted) {
        SimulatedFilter optimized = filling(CLAIMED_AT, periods).fill(rule, seed);
        SimulatedFilter simple = filling(CLAIMED_AT, periods).fill(Rule.SIMPLE, seed);
        return counted
                ? 1 - optimized.countedFpp(ABSENT) / simple.countedFpp(ABSENT)
                : 1 - optimized.computedFpp() / simple.computedFpp();
    }

    private static Filling filling(int elements, int periods) {
        return new Filling(elements / 2.0, periods, POSITIONS, PROBES, 1);
    }
}
