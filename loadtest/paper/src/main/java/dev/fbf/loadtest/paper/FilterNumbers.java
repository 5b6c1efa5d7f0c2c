package dev.fbf.loadtest.paper;

import java.util.List;

/** Figure 12: more constituent filters lower the false positive probability, or so it seems. */
final class FilterNumbers extends Experiment {

    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;
    private static final int PERIOD = 5;
    private static final int[] FILTERS = {3, 6, 12, 24};
    private static final double CLAIMED_AT = 100;
    /** 3,000 operations by the time the rate is near 110. */
    private static final Workload RAMP = Workload.linear(0, 2);

    private static final double RAMP_SECONDS = 54;
    /** One period around the moment at which the ramp is at 100 operations a second. */
    private static final double RAMP_FROM = 47;

    /** One period when all of 24 filters are in use. */
    private static final double STEADY_FROM = 125;

    @Override
    Figure figure() {
        for (int filters : FILTERS) {
            measureRamp(filters);
        }
        Table ramp = table("While the rate grows from 0 to 110/s, around 100/s (the paper's experiment)");
        Table steady = table("Steady 100/s, all generations in use");
        for (int filters : FILTERS) {
            row(ramp, filters, RAMP, RAMP_FROM);
            row(steady, filters, Workload.steady(CLAIMED_AT), STEADY_FROM);
        }
        return new Figure(
                12,
                new Plot(
                        "Figure 12: 3 to 24 filters while the rate grows (m = 6,250, k = 5, t = 5 s)",
                        "operations a second",
                        false,
                        "false positive probability",
                        curves.lines(name -> name.startsWith("corrected"))),
                curves.data("operations a second"),
                List.of(ramp, steady),
                List.of(Digits.format("""
                        When the rate reaches 100/s, just before a refresh, equation 3 gives %.1f times; the bits at that moment give \
                        %.1f times. The paper's 5.5 may well be the equation's.""", modelRatioAt(50), ratioAt(50))),
                List.of(
                        claim("3 filters against 24, growing rate, 100/s", RAMP, RAMP_FROM, """
                                There is such a gain while the filters fill for the first time; its size depends on the moment and the \
                                ramp."""),
                        claim(
                                "the same in steady use",
                                Workload.steady(CLAIMED_AT),
                                STEADY_FROM,
                                "With the corrected rule the claim turns round: more filters have more false positives.")));
    }

    private void measureRamp(int filters) {
        for (Rule rule : List.of(Rule.CORRECTED, Rule.AS_PRINTED, Rule.SINGLE)) {
            for (double seconds = 4; seconds <= RAMP_SECONDS; seconds += 2.5) {
                double until = seconds;
                curves.measured(rule + ", " + filters + " filters", 2 * seconds, over(seed -> {
                    Timeline timeline = timeline(rule, filters, RAMP, seed);
                    timeline.runTo(until);
                    return timeline.filter().fpp();
                }));
            }
        }
    }

    private static Table table(String title) {
        return new Table(title, "filters", "as printed", "corrected", "equation 3", "SINGLE", "SINGLE's model");
    }

    private void row(Table table, int filters, Workload workload, double from) {
        table.row(
                filters,
                fpp(Rule.AS_PRINTED, filters, workload, from),
                fpp(Rule.CORRECTED, filters, workload, from),
                Digits.small(model(Rule.CORRECTED, filters, workload, from)),
                fpp(Rule.SINGLE, filters, workload, from),
                Digits.small(model(Rule.SINGLE, filters, workload, from)));
    }

    private Claim claim(String claim, Workload workload, double from, String because) {
        Spread corrected = ratio(Rule.CORRECTED, workload, from);
        Claim.Verdict verdict = corrected.mean() > 4.5 && corrected.mean() < 6.5
                ? Claim.Verdict.HOLDS
                : corrected.mean() > 1 ? Claim.Verdict.PARTLY : Claim.Verdict.FAILS;
        double equation3 = model(Rule.CORRECTED, 3, workload, from) / model(Rule.CORRECTED, 24, workload, from);
        return new Claim(
                "Figure 12",
                claim,
                "5.5 times",
                each(rule -> times(ratio(rule, workload, from))),
                verdict,
                because.strip() + Digits.format(" Equation 3 gives %.1f times.", equation3));
    }

    private Spread ratio(Rule rule, Workload workload, double from) {
        return over(seed -> timeline(rule, 3, workload, seed).meanFpp(from, from + PERIOD)
                / timeline(rule, 24, workload, seed).meanFpp(from, from + PERIOD));
    }

    private double ratioAt(double seconds) {
        return over(seed -> fppAt(3, seconds, seed) / fppAt(24, seconds, seed)).mean();
    }

    private static double fppAt(int filters, double seconds, long seed) {
        Timeline timeline = timeline(Rule.CORRECTED, filters, RAMP, seed);
        timeline.runTo(seconds);
        return timeline.filter().fpp();
    }

    private static double modelRatioAt(double seconds) {
        return modelAt(3, seconds) / modelAt(24, seconds);
    }

    private static double modelAt(int filters, double seconds) {
        Timeline timeline = timeline(Rule.CORRECTED, filters, RAMP, 1);
        timeline.runTo(seconds);
        return timeline.filter().load().equation3();
    }

    private Spread fpp(Rule rule, int filters, Workload workload, double from) {
        return over(seed -> timeline(rule, filters, workload, seed).meanFpp(from, from + PERIOD));
    }

    /** The model's mean over the same span, given what really went in. */
    private static double model(Rule rule, int filters, Workload workload, double from) {
        return timeline(rule, filters, workload, 1)
                .mean(from, from + PERIOD, filter -> filter.load().model(rule));
    }

    private static Timeline timeline(Rule rule, int filters, Workload workload, long seed) {
        return new Timeline(new SimulatedFilter(rule, POSITIONS, PROBES, filters - 2, seed), workload, PERIOD);
    }

    private static String times(Spread ratio) {
        return ratio + " times";
    }
}
