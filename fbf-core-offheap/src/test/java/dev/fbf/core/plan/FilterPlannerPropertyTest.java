package dev.fbf.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.DoubleRange;

/** The plan keeps any demand within the ranges, or the refusal names one that can be kept. */
class FilterPlannerPropertyTest {

    @Property(tries = 200, shrinking = ShrinkingMode.OFF)
    void aPlanKeepsItsPromises(
            @ForAll @DoubleRange(min = 0, max = 1) double rate,
            @ForAll @DoubleRange(min = 0, max = 1) double window,
            @ForAll @DoubleRange(min = 0, max = 1) double probability) {
        FilterSizing sizing = sizing(rate, window, probability, FilterSizing.UNLIMITED);

        FilterPlan plan = sizing.plan();
        assertKept(sizing, plan);
        assertThat(plan.window()).isLessThan(sizing.retryWindow().plusMillis(plan.liveGenerations()));
    }

    @Property(tries = 100, shrinking = ShrinkingMode.OFF)
    void withinACapAPlanKeepsItOrTheNecessarySizeIsNamed(
            @ForAll @DoubleRange(min = 0, max = 1) double rate,
            @ForAll @DoubleRange(min = 0, max = 1) double window,
            @ForAll @DoubleRange(min = 0, max = 1) double probability,
            @ForAll @DoubleRange(min = 0, max = 1) double cap) {
        FilterSizing sizing = sizing(rate, window, probability, (long) between(cap, FilterSizing.MIN_BYTES, 1L << 40));
        try {
            assertKept(sizing, sizing.plan());
        } catch (IllegalArgumentException refusal) {
            String text = String.valueOf(refusal.getMessage()).replaceAll(".* need ([0-9,]+) bytes", "$1");
            FilterSizing fit = sizing.within(Long.parseLong(text.replace(",", "")));
            assertKept(fit, fit.plan());
        }
    }

    private static void assertKept(FilterSizing sizing, FilterPlan plan) {
        assertThat(plan.window()).isGreaterThanOrEqualTo(sizing.retryWindow());
        assertThat(plan.expectedFpp()).isPositive().isLessThanOrEqualTo(sizing.falsePositiveProbability());
        assertThat(plan.bytes()).isLessThanOrEqualTo(sizing.maxBytes());
        assertThat(plan.laneBits()).isGreaterThanOrEqualTo(plan.past() + 3);
    }

    /** Each value between the ends of its range, where 0 and 1 are, in even steps of its logarithm. */
    private static FilterSizing sizing(double rate, double window, double probability, long maxBytes) {
        double millis = between(
                window, (double) FilterSizing.MIN_WINDOW.toMillis(), (double) FilterSizing.MAX_WINDOW.toMillis());
        FilterSizing any = new FilterSizing(
                between(rate, FilterSizing.MIN_RATE, FilterSizing.MAX_RATE),
                Duration.ofMillis((long) millis),
                FilterSizing.MAX_FPP,
                maxBytes);
        return new FilterSizing(
                any.expectedOperationsPerSecond(),
                any.retryWindow(),
                between(probability, Math.max(FilterSizing.MIN_FPP, any.lowestFpp()), FilterSizing.MAX_FPP),
                maxBytes);
    }

    private static double between(double part, double min, double max) {
        return Math.min(max, Math.max(min, min * Math.pow(max / min, part)));
    }
}
