package dev.fbf.loadtest.paper;

import java.util.List;

/** Figure 9: equation 3 against the count, by the number of elements; and what happens beyond the paper's N = 1. */
final class ModelByElements extends Experiment {

    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;
    private static final int STEADY_PER_PERIOD = 150;

    @Override
    Figure figure() {
        ModelAgainstCount model =
                new ModelAgainstCount(this, "N = 1, elements spread over the first two periods", "elements");
        for (int elements = 100; elements <= 600; elements += 100) {
            model.row(elements, new Filling(elements / 2.0, 2, POSITIONS, PROBES, 1));
        }
        Table more = new Table(
                "More past generations, " + STEADY_PER_PERIOD + " elements in every period, at the end of one",
                "N",
                "as printed, from the bits",
                "corrected, from the bits",
                "equation 3 (PAPER)",
                "off by",
                "EXACT",
                "SINGLE, from the bits");
        for (int past : new int[] {1, 2, 4, 8, 12}) {
            moreGenerations(more, past);
        }
        double pastAlone =
                new Load(new double[] {0, STEADY_PER_PERIOD, STEADY_PER_PERIOD}, POSITIONS, PROBES, 1).equation3();
        double pair = (exact(12) - exact(2)) / 10;
        return new Figure(
                9,
                new Plot(
                        "Figure 9: equation 3 and the count (m = 6,250, k = 5, N = 1)",
                        "elements inserted",
                        false,
                        "false positive probability",
                        curves.lines(name -> !name.startsWith("N:"))),
                curves.data("elements (or N)"),
                List.of(model.table(), more),
                List.of(Digits.format("""
                        Every further past generation adds a pair. Equation 3 adds p² for it, here %s; the period that the two share \
                        makes it %s.""", Digits.small(Math.pow(pastAlone, 2)), Digits.small(pair))),
                List.of(new Claim(
                        "Figure 9",
                        "equation 3 matches the count, 100 to 600 operations",
                        "reasonably",
                        List.of(model.off(), model.off(), model.singleOff()),
                        Claim.Verdict.of(model.holds()),
                        "It holds for the three filters the paper tried, and fails beyond: see the second table.")));
    }

    private void moreGenerations(Table table, int past) {
        Filling filling = new Filling(STEADY_PER_PERIOD, past + 3, POSITIONS, PROBES, past);
        Spread asPrinted = measure(Rule.AS_PRINTED, past, filling);
        Spread corrected = measure(Rule.CORRECTED, past, filling);
        Spread single = measure(Rule.SINGLE, past, filling);
        double equation3 = curves.modelled(
                "N: PAPER",
                past,
                Load.steady(STEADY_PER_PERIOD, POSITIONS, PROBES, past).equation3());
        double exact = curves.modelled("N: EXACT", past, exact(past));
        table.row(
                past,
                asPrinted,
                corrected,
                Digits.small(equation3),
                Digits.format("%+.0f %%", (equation3 / corrected.mean() - 1) * 100),
                Digits.small(exact),
                single);
    }

    private static double exact(int past) {
        return Load.steadyExact(STEADY_PER_PERIOD, POSITIONS, PROBES, past, 1);
    }

    private Spread measure(Rule rule, int past, Filling filling) {
        return curves.measured(
                "N: " + rule, past, over(seed -> filling.fill(rule, seed).computedFpp()));
    }
}
