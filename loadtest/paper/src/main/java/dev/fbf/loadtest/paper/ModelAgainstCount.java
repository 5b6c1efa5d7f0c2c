package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.pages.Plot;

/** Equation 3 held against filled filters: figure 9, by the number of elements, and figure 10, by the size of the generations. */
final class ModelAgainstCount extends Experiment {

    private static final int ABSENT = 200_000;
    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;
    private static final int STEADY_PER_PERIOD = 150;

    private final boolean bySize;

    private ModelAgainstCount(int number, String quantity, boolean bySize) {
        super(number, quantity);
        this.bySize = bySize;
    }

    /** Figure 9, and what happens beyond the paper's N = 1. */
    static Experiment byElements() {
        return new ModelAgainstCount(9, "elements (or N)", false);
    }

    /** Figure 10. */
    static Experiment bySize() {
        return new ModelAgainstCount(10, "m", true);
    }

    @Override
    Plot measure() {
        return bySize ? ofSizes() : ofElements();
    }

    private Plot ofElements() {
        for (int elements = 100; elements <= 600; elements += 100) {
            measure(elements, new Filling(elements / 2.0, 2, POSITIONS, PROBES, 1));
        }
        for (int past : new int[] {1, 2, 4, 8, 12}) {
            Filling filling = new Filling(STEADY_PER_PERIOD, past + 3, POSITIONS, PROBES, past);
            for (Rule rule : RULES) {
                measured("N: " + rule, past, seed -> filling.fill(rule, seed).computedFpp());
            }
            Load steady = Load.steady(STEADY_PER_PERIOD, POSITIONS, PROBES, past);
            modelled("N: PAPER", past, steady.equation3());
            modelled("N: EXACT", past, steady.exact(Rule.CORRECTED));
        }
        figure(
                "pastAlone",
                new Load(new double[] {0, STEADY_PER_PERIOD, STEADY_PER_PERIOD}, POSITIONS, PROBES, 1).equation3());
        return plot(
                "Figure 9: equation 3 and the count (m = 6,250, k = 5, N = 1)",
                "elements inserted",
                false,
                name -> !name.startsWith("N:"));
    }

    private Plot ofSizes() {
        for (int positions = 5_000; positions <= 30_000; positions += 5_000) {
            measure(positions, new Filling(150, 2, positions, PROBES, 1));
        }
        return plot(
                "Figure 10: equation 3 and the count (300 elements, k = 5, N = 1)",
                "bits in a generation (m)",
                false,
                name -> true);
    }

    private void measure(int quantity, Filling filling) {
        measured("counted", quantity, seed -> filling.fill(Rule.CORRECTED, seed).countedFpp(ABSENT));
        measured(
                "corrected, from the bits",
                quantity,
                seed -> filling.fill(Rule.CORRECTED, seed).computedFpp());
        measured(
                "SINGLE, from the bits",
                quantity,
                seed -> filling.fill(Rule.SINGLE, seed).computedFpp());
        modelled("equation 3", quantity, filling.load().equation3());
        modelled("exact model", quantity, filling.load().exact(Rule.CORRECTED));
        modelled("SINGLE", quantity, filling.load().single());
    }
}
