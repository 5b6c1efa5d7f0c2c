package dev.fbf.loadtest.bench.guard;

import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.Map;
import java.util.function.DoubleFunction;

/** Finds a demand whose filter has nearly a given size. */
final class FilterDemand {

    /** How often the demand is corrected by the size that it has: the planner's choice of a layout makes the size jump. */
    private static final int STEPS = 6;

    private static final double FPP = FilterSizing.DEFAULT.falsePositiveProbability();

    private FilterDemand() {}

    /** With a rate: the window is as long as the size allows. */
    static FilterSizing ofRate(double operationsPerSecond, long bytes) {
        return scaled(
                bytes,
                share -> new FilterSizing(operationsPerSecond, Duration.ofMillis(Math.round(1_000 * share)), FPP));
    }

    /** With a window: the rate is as high as the size allows. */
    static FilterSizing ofWindow(Duration window, long bytes) {
        return scaled(bytes, rate -> new FilterSizing(rate, window, FPP));
    }

    private static FilterSizing scaled(long bytes, DoubleFunction<FilterSizing> demand) {
        double value = 1;
        for (int step = 0; step < STEPS; step++) {
            value *= (double) bytes / demand.apply(value).plan().bytes();
        }
        return demand.apply(value);
    }

    /** The same as properties of an application whose filter has no room to grow. */
    static Map<String, Object> properties(FilterSizing sizing) {
        return Map.of(
                "fbf.max-size",
                sizing.plan().bytes() + "B",
                "fbf.expected-operations-per-second",
                Double.toString(sizing.expectedOperationsPerSecond()),
                "fbf.retry-window",
                sizing.retryWindow().toMillis() + "ms");
    }
}
