package dev.fbf.loadtest.paper;

import java.util.List;

/** Figure 8: the optimised membership check against the simple one. */
final class OptimizedCheck extends Experiment {

    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;
    private static final int CLAIMED_AT = 300;
    private static final int ABSENT = 200_000;

    @Override
    Figure figure() {
        Table filling = table("The elements come within the filter's first two periods (the paper's figure, we think)");
        Table steady = table("The same rate for good: at the end of a period, all generations in use");
        for (int elements = 100; elements <= 600; elements += 100) {
            row(filling, elements, 2, "");
            row(steady, elements, 4, ", steady");
        }
        return new Figure(
                8,
                new Plot(
                        "Figure 8: optimised and simple check (m = 6,250, k = 5, N = 1)",
                        "elements inserted",
                        false,
                        "false positive probability",
                        curves.lines(name -> !name.equals(Rule.AS_PRINTED.toString()))),
                curves.data("elements"),
                List.of(filling, steady),
                List.of(
                        Digits.format(
                                "Counted with %,d absent elements for each seed, as the paper did, instead of computed from the"
                                        + " bits: %s lower at %d.",
                                ABSENT,
                                Digits.percent(over(seed -> gain(Rule.CORRECTED, CLAIMED_AT, 2, seed, true))),
                                CLAIMED_AT),
                        Digits.format(
                                "Within one period both checks find the same (future and present are equal), over three the gain is %s.",
                                Digits.percent(1 - exact(Rule.CORRECTED) / exact(Rule.SIMPLE)))),
                List.of(claim()));
    }

    private static double exact(Rule rule) {
        return new Filling(100, 3, POSITIONS, PROBES, 1).load().exact(rule);
    }

    private Claim claim() {
        Spread corrected = over(seed -> gain(Rule.CORRECTED, CLAIMED_AT, 2, seed, false));
        Spread steady = over(seed -> gain(Rule.CORRECTED, CLAIMED_AT, 4, seed, false));
        return new Claim(
                "Figure 8",
                "optimised check below simple check, 300 operations",
                "90 % lower",
                each(rule -> Digits.percent(over(seed -> gain(rule, CLAIMED_AT, 2, seed, false))) + " lower"),
                Claim.Verdict.of(Math.abs(corrected.mean() - 0.9) < 0.05),
                Digits.format(
                        "It holds while the filter fills for the first time; in steady use the gain is %s.",
                        Digits.percent(steady)));
    }

    private static Table table(String title) {
        return new Table(title, "elements", "simple", "corrected", "lower by", "SINGLE", "lower by");
    }

    private void row(Table table, int elements, int periods, String suffix) {
        Spread simple = measure(Rule.SIMPLE, elements, periods, suffix);
        Spread corrected = measure(Rule.CORRECTED, elements, periods, suffix);
        Spread single = measure(Rule.SINGLE, elements, periods, suffix);
        table.row(
                elements,
                simple,
                corrected,
                Digits.percent(1 - corrected.mean() / simple.mean()),
                single,
                Digits.percent(1 - single.mean() / simple.mean()));
    }

    private Spread measure(Rule rule, int elements, int periods, String suffix) {
        return curves.measured(
                rule + suffix,
                elements,
                over(seed -> filled(rule, elements, periods, seed).computedFpp()));
    }

    private static double gain(Rule rule, int elements, int periods, long seed, boolean counted) {
        SimulatedFilter optimized = filled(rule, elements, periods, seed);
        SimulatedFilter simple = filled(Rule.SIMPLE, elements, periods, seed);
        return counted
                ? 1 - optimized.countedFpp(ABSENT) / simple.countedFpp(ABSENT)
                : 1 - optimized.computedFpp() / simple.computedFpp();
    }

    private static SimulatedFilter filled(Rule rule, int elements, int periods, long seed) {
        return new Filling(elements / 2.0, periods, POSITIONS, PROBES, 1).fill(rule, seed);
    }
}
