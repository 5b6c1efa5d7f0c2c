package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.pages.Plot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Figure 12: more constituent filters lower the false positive probability, or so it seems. */
final class FilterNumbers extends Experiment {

    private static final int POSITIONS = 6_250;
    private static final int PROBES = 5;
    private static final int PERIOD = 5;
    private static final int[] FILTERS = {3, 6, 12, 24};
    /** 3,000 operations by the time the rate is near 110. */
    private static final Workload RAMP = Workload.linear(0, 2);

    private static final double RAMP_SECONDS = 54;
    /** One period around the moment at which the ramp is at 100 operations a second. */
    private static final double RAMP_FROM = 47;
    /** When the ramp is there, just before a refresh. */
    private static final double RAMP_AT = 50;
    /** One period when all of 24 filters are in use. */
    private static final double STEADY_FROM = 125;

    FilterNumbers() {
        super(12, "operations a second");
    }

    @Override
    Plot measure() {
        for (int filters : FILTERS) {
            for (Rule rule : List.of(Rule.CORRECTED, Rule.AS_PRINTED, Rule.SINGLE)) {
                for (double seconds = 4; seconds <= RAMP_SECONDS; seconds += 2.5) {
                    double until = seconds;
                    measured(
                            rule + ", " + filters + " filters",
                            2 * seconds,
                            seed -> timeline(rule, filters, RAMP, seed)
                                    .runTo(until)
                                    .fpp());
                }
            }
        }
        figure("ramp", span(RAMP, RAMP_FROM));
        figure("steady", span(Workload.steady(100), STEADY_FROM));
        figure(
                "gainAtRefresh",
                over(seed -> onRamp(3, seed).fpp() / onRamp(24, seed).fpp()));
        figure(
                "modelledGainAtRefresh",
                onRamp(3, 1).load().equation3() / onRamp(24, 1).load().equation3());
        return plot(
                "Figure 12: 3 to 24 filters while the rate grows (m = 6,250, k = 5, t = 5 s)",
                "operations a second",
                false,
                name -> name.startsWith("corrected"));
    }

    /** Means over a period: of each number of filters, and of 3 over 24. */
    private Map<String, Object> span(Workload workload, double from) {
        List<Object> rows = new ArrayList<>();
        for (int filters : FILTERS) {
            rows.add(Map.of(
                    "filters",
                    filters,
                    "fpps",
                    each(rule -> over(seed -> mean(rule, filters, workload, from, seed))),
                    "models",
                    each(rule -> model(rule, filters, workload, from))));
        }
        return Map.of(
                "rows",
                rows,
                "gains",
                each(rule -> over(seed -> mean(rule, 3, workload, from, seed) / mean(rule, 24, workload, from, seed))));
    }

    private static double mean(Rule rule, int filters, Workload workload, double from, long seed) {
        return timeline(rule, filters, workload, seed).meanFpp(from, from + PERIOD);
    }

    /** The model's mean over the same span, given what really went in. */
    private static double model(Rule rule, int filters, Workload workload, double from) {
        return timeline(rule, filters, workload, 1)
                .mean(from, from + PERIOD, filter -> filter.load().model(rule));
    }

    private static SimulatedFilter onRamp(int filters, long seed) {
        return timeline(Rule.CORRECTED, filters, RAMP, seed).runTo(RAMP_AT);
    }

    private static Timeline timeline(Rule rule, int filters, Workload workload, long seed) {
        return new Timeline(new SimulatedFilter(rule, POSITIONS, PROBES, filters - 2, seed), workload, PERIOD);
    }
}
