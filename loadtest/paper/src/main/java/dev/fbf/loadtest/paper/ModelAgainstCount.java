package dev.fbf.loadtest.paper;

/** Equation 3 held against filled filters. */
abstract class ModelAgainstCount extends Experiment {

    private static final int ABSENT = 200_000;

    ModelAgainstCount(int number, String quantity) {
        super(number, quantity);
    }

    final void measure(int quantity, Filling filling) {
        curves.measured(
                "counted",
                quantity,
                over(seed -> filling.fill(Rule.CORRECTED, seed).countedFpp(ABSENT)));
        curves.measured(
                "corrected, from the bits",
                quantity,
                over(seed -> filling.fill(Rule.CORRECTED, seed).computedFpp()));
        curves.measured(
                "SINGLE, from the bits",
                quantity,
                over(seed -> filling.fill(Rule.SINGLE, seed).computedFpp()));
        curves.modelled("equation 3", quantity, filling.load().equation3());
        curves.modelled("exact model", quantity, filling.load().exact(Rule.CORRECTED));
        curves.modelled("SINGLE", quantity, filling.load().single());
    }
}
