package dev.fbf.loadtest.paper;

import java.util.List;

/** Figure 11: a shorter refresh period lowers the false positive probability. */
final class RefreshPeriods extends Experiment {

    private static final int POSITIONS = 25_000;
    private static final int PROBES = 5;
    private static final int[] PERIODS = {1, 2, 3, 5};
    private static final double CLAIMED_AT = 100;
    /** Where a ramp begins. */
    private static final double FIRST_RATE = 10;

    @Override
    Figure figure() {
        for (int period : PERIODS) {
            for (double rate = 25; rate <= 400; rate *= 2) {
                measureSteady(rate, period);
            }
        }
        Table ratios = new Table(
                "FPP at t = 5 s over FPP at t = 1 s, when the rate is 100 operations a second",
                "workload",
                "corrected (and as printed)",
                "equation 3",
                "SINGLE");
        ratios.row("steady, mean over time", times(ratio(Rule.CORRECTED)), "", times(ratio(Rule.SINGLE)));
        ratios.row(
                "steady, end of a period",
                times(endRatio(Rule.CORRECTED)),
                times(paper(5) / paper(1)),
                times(endRatio(Rule.SINGLE)));
        for (double doubling : new double[] {20, 10, 5, 1}) {
            ratios.row(
                    Digits.format("rate doubles every %.0f s", doubling),
                    times(rampRatio(Rule.CORRECTED, doubling)),
                    "",
                    times(rampRatio(Rule.SINGLE, doubling)));
        }
        return new Figure(
                11,
                new Plot(
                        "Figure 11: refresh periods (m = 25,000, k = 5, N = 1)",
                        "operations a second",
                        true,
                        "false positive probability",
                        curves.lines(
                                name -> name.startsWith("corrected") || name.endsWith("5 s") || name.endsWith(" 1 s"))),
                curves.data("operations a second"),
                List.of(fpps(), ratios),
                List.of(),
                List.of(claim()));
    }

    private Claim claim() {
        Spread steady = ratio(Rule.CORRECTED);
        boolean holds = steady.mean() > 500 && steady.mean() < 2_000;
        return new Claim(
                "Figure 11",
                "FPP at t = 5 s against t = 1 s, 100 operations/s",
                "1,000 times",
                each(rule -> times(ratio(rule))),
                holds ? Claim.Verdict.HOLDS : Claim.Verdict.PARTLY,
                Digits.format(
                        "The direction and the order of magnitude are right: %s in steady use as the mean over time; under the"
                                + " ramp it depends on how steep that is.",
                        times(steady)));
    }

    private Table fpps() {
        Table table = new Table(
                "Steady 100 operations a second",
                "t",
                "corrected, mean",
                "corrected, end of a period",
                "equation 3 (PAPER)",
                "EXACT",
                "SINGLE, mean");
        for (int period : PERIODS) {
            table.row(
                    period + " s",
                    over(seed -> mean(Rule.CORRECTED, Workload.steady(CLAIMED_AT), period, seed)),
                    curves.measured(
                            "end of a period, t = " + period,
                            CLAIMED_AT,
                            over(seed -> end(Rule.CORRECTED, period, seed))),
                    Digits.small(curves.modelled("PAPER, t = " + period, CLAIMED_AT, paper(period))),
                    Digits.small(curves.modelled(
                            "EXACT, t = " + period,
                            CLAIMED_AT,
                            Load.steadyExact(CLAIMED_AT * period, POSITIONS, PROBES, 1, 1))),
                    over(seed -> mean(Rule.SINGLE, Workload.steady(CLAIMED_AT), period, seed)));
        }
        return table;
    }

    private void measureSteady(double rate, int period) {
        for (Rule rule : List.of(Rule.CORRECTED, Rule.SINGLE)) {
            curves.measured(
                    rule + ", t = " + period + " s",
                    rate,
                    over(seed -> mean(rule, Workload.steady(rate), period, seed)));
        }
    }

    private Spread ratio(Rule rule) {
        Workload workload = Workload.steady(CLAIMED_AT);
        return over(seed -> mean(rule, workload, 5, seed) / mean(rule, workload, 1, seed));
    }

    private Spread endRatio(Rule rule) {
        return over(seed -> end(rule, 5, seed) / end(rule, 1, seed));
    }

    /** The mean over the five seconds around the moment at which the rate is as claimed. */
    private Spread rampRatio(Rule rule, double doubling) {
        double moment = doubling * Math.log(CLAIMED_AT / FIRST_RATE) / Math.log(2);
        double from = Math.max(0, Math.round(moment - 2.5));
        Workload workload = Workload.doubling(FIRST_RATE, doubling);
        return over(seed -> timeline(rule, workload, 5, seed).meanFpp(from, from + 5)
                / timeline(rule, workload, 1, seed).meanFpp(from, from + 5));
    }

    private static double mean(Rule rule, Workload workload, int period, long seed) {
        return timeline(rule, workload, period, seed).meanFpp(30, 60);
    }

    private static double end(Rule rule, int period, long seed) {
        Timeline timeline = timeline(rule, Workload.steady(CLAIMED_AT), period, seed);
        timeline.runTo(30);
        return timeline.filter().fpp();
    }

    private static Timeline timeline(Rule rule, Workload workload, int period, long seed) {
        return new Timeline(new SimulatedFilter(rule, POSITIONS, PROBES, 1, seed), workload, period);
    }

    private static double paper(int period) {
        return Load.steady(CLAIMED_AT * period, POSITIONS, PROBES, 1).equation3();
    }

    private static String times(Spread ratio) {
        return Digits.format("%,.0f ± %,.0f", ratio.mean(), ratio.deviation()) + " times";
    }

    private static String times(double ratio) {
        return Digits.format("%,.0f times", ratio);
    }
}
