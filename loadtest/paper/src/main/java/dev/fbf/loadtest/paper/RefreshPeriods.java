package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.pages.Plot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Figure 11: a shorter refresh period lowers the false positive probability. */
final class RefreshPeriods extends Experiment {

    private static final int POSITIONS = 25_000;
    private static final int PROBES = 5;
    private static final int[] PERIODS = {1, 2, 3, 5};
    private static final double CLAIMED_AT = 100;
    private static final Workload STEADY = Workload.steady(CLAIMED_AT);
    /** Where a ramp begins. */
    private static final double FIRST_RATE = 10;

    RefreshPeriods() {
        super(11, "operations a second");
    }

    @Override
    Plot measure() {
        for (int period : PERIODS) {
            for (double rate = 25; rate <= 400; rate *= 2) {
                measureSteady(rate, period);
            }
        }
        for (int period : PERIODS) {
            measured("end of a period, t = " + period, CLAIMED_AT, seed -> end(Rule.CORRECTED, period, seed));
            modelled(
                    "PAPER, t = " + period,
                    CLAIMED_AT,
                    Load.steady(CLAIMED_AT * period, POSITIONS, PROBES, 1).equation3());
            modelled(
                    "EXACT, t = " + period,
                    CLAIMED_AT,
                    Load.steady(CLAIMED_AT * period, POSITIONS, PROBES, 1).exact(Rule.CORRECTED));
        }
        figure("means", each(rule -> over(seed -> mean(rule, STEADY, 5, seed) / mean(rule, STEADY, 1, seed))));
        figure("ends", each(rule -> over(seed -> end(rule, 5, seed) / end(rule, 1, seed))));
        List<Object> ramps = new ArrayList<>();
        for (double doubling : new double[] {20, 10, 5, 1}) {
            ramps.add(Map.of("doubling", doubling, "ratios", each(rule -> rampRatio(rule, doubling))));
        }
        figure("ramps", ramps);
        return plot(
                "Figure 11: refresh periods (m = 25,000, k = 5, N = 1)",
                "operations a second",
                true,
                name -> name.startsWith("corrected") || name.endsWith("5 s") || name.endsWith(" 1 s"));
    }

    private void measureSteady(double rate, int period) {
        for (Rule rule : List.of(Rule.CORRECTED, Rule.SINGLE)) {
            measured(rule + ", t = " + period + " s", rate, seed -> mean(rule, Workload.steady(rate), period, seed));
        }
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
        return timeline(rule, STEADY, period, seed).runTo(30).fpp();
    }

    private static Timeline timeline(Rule rule, Workload workload, int period, long seed) {
        return new Timeline(new SimulatedFilter(rule, POSITIONS, PROBES, 1, seed), workload, period);
    }
}
