package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.pages.Plot;

/** Figure 9: equation 3 against the count, by the number of elements; and what happens beyond the paper's N = 1. */
final class ModelByElements extends ModelAgainstCount {

    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;
    private static final int STEADY_PER_PERIOD = 150;

    ModelByElements() {
        super(9, "elements (or N)");
    }

    @Override
    Plot measure() {
        for (int elements = 100; elements <= 600; elements += 100) {
            measure(elements, new Filling(elements / 2.0, 2, POSITIONS, PROBES, 1));
        }
        for (int past : new int[] {1, 2, 4, 8, 12}) {
            moreGenerations(past);
        }
        figure(
                "pastAlone",
                new Load(new double[] {0, STEADY_PER_PERIOD, STEADY_PER_PERIOD}, POSITIONS, PROBES, 1).equation3());
        return new Plot(
                "Figure 9: equation 3 and the count (m = 6,250, k = 5, N = 1)",
                "elements inserted",
                false,
                "false positive probability",
                curves.lines(name -> !name.startsWith("N:")));
    }

    private void moreGenerations(int past) {
        Filling filling = new Filling(STEADY_PER_PERIOD, past + 3, POSITIONS, PROBES, past);
        for (Rule rule : RULES) {
            curves.measured(
                    "N: " + rule, past, over(seed -> filling.fill(rule, seed).computedFpp()));
        }
        Load steady = Load.steady(STEADY_PER_PERIOD, POSITIONS, PROBES, past);
        curves.modelled("N: PAPER", past, steady.equation3());
        curves.modelled("N: EXACT", past, Load.steadyExact(STEADY_PER_PERIOD, POSITIONS, PROBES, past, 1));
    }
}
