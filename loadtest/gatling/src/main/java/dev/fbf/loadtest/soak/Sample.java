package dev.fbf.loadtest.soak;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * What is seen at one moment.
 *
 * @param seconds since the beginning
 * @param loud whether the load is the high one
 * @param requestsPerSecond answered since the last sample
 * @param p99Millis 99 of 100 requests since then were answered in this time, at the slower endpoint
 * @param residentMebibytes of the app
 * @param anonymousMebibytes the part of it that no file is mapped to
 * @param liveMebibytes of objects that are in use
 * @param filterMebibytes the filters' files
 * @param arenas of all filters
 * @param generations of the newest arena that has most
 * @param fill of the fullest generation
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

    static String csv(List<Sample> samples) {
        return samples.stream()
                .map(Sample::line)
                .collect(Collectors.joining(
                        "\n",
                        "seconds,load,requests_per_second,p99_millis,resident_mib,anonymous_mib,live_mib,"
                                + "filter_mib,arenas,generations,fill,estimated_fpp,refreshes,growths,shrinks\n",
                        "\n"));
    }

    private String line() {
        return String.format(
                Locale.ROOT,
                "%.1f,%s,%.0f,%.2f,%.2f,%.2f,%.2f,%.3f,%d,%d,%.4f,%.3e,%d,%d,%d",
                seconds,
                loud ? "high" : "low",
                requestsPerSecond,
                p99Millis,
                residentMebibytes,
                anonymousMebibytes,
                liveMebibytes,
                filterMebibytes,
                arenas,
                generations,
                fill,
                estimatedFpp,
                refreshes,
                growths,
                shrinks);
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
