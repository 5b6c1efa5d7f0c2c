package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Table;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What is seen at one moment.
 *
 * @param p99Millis 99 of 100 requests since then were answered in this time, at the slower endpoint
 * @param anonymousMebibytes the part of it that no file is mapped to
 * @param generations of the newest arena that has most
 * @param estimatedFpp of the filter that is mistaken most often
 * @param refreshes so far, as are growths and shrinks
 */
record Sample(
        double seconds,
        boolean loud,
        double requestsPerSecond,
        double p99Millis,
        double residentMebibytes,
        double anonymousMebibytes,
        double liveMebibytes,
        double filterMebibytes,
        int arenas,
        int generations,
        double fill,
        double estimatedFpp,
        long refreshes,
        long growths,
        long shrinks) {

    private static final double SECONDS_IN_AN_HOUR = 3_600;

    static Table<Sample> table(List<Sample> samples) {
        return Table.<Sample>of(samples)
                .number("seconds", "%.1f", Sample::seconds)
                .text("load", sample -> sample.loud ? "high" : "low")
                .number("requests_s", "%.0f", Sample::requestsPerSecond)
                .number("p99_ms", "%.2f", Sample::p99Millis)
                .number("resident_mib", "%.2f", Sample::residentMebibytes)
                .number("anonymous_mib", "%.2f", Sample::anonymousMebibytes)
                .number("live_mib", "%.2f", Sample::liveMebibytes)
                .number("filter_mib", "%.3f", Sample::filterMebibytes)
                .number("arenas", "%d", Sample::arenas)
                .number("generations", "%d", Sample::generations)
                .number("fill", "%.4f", Sample::fill)
                .number("estimated_fpp", "%.3e", Sample::estimatedFpp)
                .number("refreshes", "%d", Sample::refreshes)
                .number("growths", "%d", Sample::growths)
                .number("shrinks", "%d", Sample::shrinks);
    }

    /** How much a value rises in an hour, by the straight line that is nearest to the samples of the second half. */
    static double slopePerHour(List<Sample> samples, ToDoubleFunction<Sample> value) {
        List<Sample> half = secondHalf(samples);
        double meanTime = mean(half, Sample::seconds);
        double meanValue = mean(half, value);
        double covariance = 0;
        double variance = 0;
        for (Sample sample : half) {
            double time = sample.seconds() - meanTime;
            covariance += time * (value.applyAsDouble(sample) - meanValue);
            variance += time * time;
        }
        return variance == 0 ? 0 : SECONDS_IN_AN_HOUR * covariance / variance;
    }

    static double mean(List<Sample> samples, ToDoubleFunction<Sample> value) {
        return samples.stream().mapToDouble(value).average().orElse(0);
    }

    static List<Sample> secondHalf(List<Sample> samples) {
        return samples.subList(samples.size() / 2, samples.size());
    }
}
