package dev.fbf.loadtest.paper;

import dev.fbf.loadtest.harness.pages.Plot;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/** Figure 13: algorithm 3 keeps the false positive probability below its target. */
final class AdaptiveRun extends Experiment {

    static final double TARGET = 0.001;
    private static final int SECONDS = 60;

    AdaptiveRun() {
        super(13, "seconds");
    }

    @Override
    Plot measure() {
        figure("target", TARGET);
        figure("outcomes", each(this::measure));
        return new Plot(
                "Figure 13: algorithm 3 (m = 6,250, k = 5, target 0.001)",
                "seconds",
                false,
                "FPP; filters; seconds",
                lines(name -> name.startsWith("corrected") || name.equals("SINGLE, FPP")));
    }

    private Map<String, Object> measure(Rule rule) {
        List<AdaptiveTrace> traces = LongStream.rangeClosed(1, seeds())
                .parallel()
                .mapToObj(seed -> AdaptiveTrace.record(rule, AdaptiveRun::operationsBy, TARGET, SECONDS, seed))
                .toList();
        add(rule + ", FPP", traces, AdaptiveTrace.Look::fpp);
        add(rule + ", filters", traces, AdaptiveTrace.Look::filters);
        add(rule + ", period", traces, AdaptiveTrace.Look::period);
        add(rule + ", FPP by the model", traces, AdaptiveTrace.Look::model);
        Map<String, Object> outcome = new LinkedHashMap<>();
        outcome.put("first", traces.get(0).firstStepUp());
        outcome.put("changes", traces.get(0).changes());
        outcome.put("stepsUp", Spread.of(traces, AdaptiveTrace::stepsUp));
        outcome.put("filters", Spread.of(traces, trace -> trace.highest(AdaptiveTrace.Look::filters)));
        outcome.put("model", Spread.of(traces, trace -> trace.highest(AdaptiveTrace.Look::model)));
        outcome.put("fpp", Spread.of(traces, trace -> trace.highest(AdaptiveTrace.Look::fpp)));
        outcome.put("ofTarget", Spread.of(traces, trace -> trace.highest(AdaptiveTrace.Look::fpp) / TARGET));
        outcome.put("above", Spread.of(traces, trace -> trace.above(TARGET)));
        outcome.put("forgotten", Spread.of(traces, trace -> trace.highest(AdaptiveTrace.Look::forgotten)));
        return outcome;
    }

    private void add(String curve, List<AdaptiveTrace> traces, ToDoubleFunction<AdaptiveTrace.Look> value) {
        for (int second = 1; second <= SECONDS; second++) {
            int look = second - 1;
            measured(
                    curve,
                    second,
                    Spread.of(traces, trace -> value.applyAsDouble(trace.looks().get(look))));
        }
    }

    /** 31.95 a second until 16 s, 20 until 23 s, 28 until 30 s, then 10. */
    static double operationsBy(double seconds) {
        return 31.95 * Math.min(seconds, 16)
                + 20 * Math.min(Math.max(seconds - 16, 0), 7)
                + 28 * Math.min(Math.max(seconds - 23, 0), 7)
                + 10 * Math.max(seconds - 30, 0);
    }
}
