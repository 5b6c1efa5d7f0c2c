package dev.fbf.loadtest.bench;

import java.util.List;
import java.util.Locale;

/**
 * What a run found.
 *
 * @param mebibytes size of each contender
 * @param jdk what it ran on
 * @param measurements all of them
 * @param ratios what is compared
 */
record BenchReport(int mebibytes, String jdk, List<Measurement> measurements, List<Ratio> ratios) {

    /**
     * Two medians of one run.
     *
     * @param name what is compared
     * @param value the first median over the second
     * @param target what we want it to be
     */
    record Ratio(String name, double value, String target) {}

    static BenchReport of(int mebibytes, List<Measurement> measurements) {
        return new BenchReport(
                mebibytes,
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                measurements,
                List.of(
                        ratio(
                                measurements,
                                "check: 6 Guava filters over fbf N = 4",
                                "check",
                                Contender.GUAVA_N4,
                                Contender.FBF_N4,
                                "≥ 8"),
                        ratio(
                                measurements,
                                "check: 24 Guava filters over fbf N = 22",
                                "check",
                                Contender.GUAVA_N22,
                                Contender.FBF_N22,
                                "≥ 25"),
                        ratio(
                                measurements,
                                "check: one Guava filter over fbf N = 4",
                                "check",
                                Contender.GUAVA,
                                Contender.FBF_N4,
                                "≥ 1.5 at 64 MiB"),
                        ratio(
                                measurements,
                                "check: fbf N = 22 over fbf N = 4",
                                "check",
                                Contender.FBF_N22,
                                Contender.FBF_N4,
                                "≤ 1.5"),
                        ratio(
                                measurements,
                                "put: fbf N = 4 over one Guava filter",
                                "put",
                                Contender.FBF_N4,
                                Contender.GUAVA,
                                "≤ 1.1"),
                        new Ratio(
                                "check, fbf N = 4: throughput of two threads over one",
                                2
                                        * median(measurements, "check", Contender.FBF_N4, 1)
                                        / median(measurements, "check", Contender.FBF_N4, 2),
                                "≥ 1.7")));
    }

    String table() {
        StringBuilder table = new StringBuilder();
        table.append(String.format(Locale.ROOT, "%n  fbf benchmarks, %d MiB, %s%n%n", mebibytes, jdk));
        table.append(
                String.format(Locale.ROOT, "  %-10s %-10s %8s %12s %12s%n", "", "", "threads", "median", "allocated"));
        for (Measurement measurement : measurements) {
            table.append(String.format(
                    Locale.ROOT,
                    "  %-10s %-10s %8d %9.1f ns %10.2f B%n",
                    measurement.benchmark(),
                    measurement.contender(),
                    measurement.threads(),
                    measurement.medianNanos(),
                    measurement.bytesPerCall()));
        }
        table.append(System.lineSeparator());
        for (Ratio ratio : ratios) {
            table.append(
                    String.format(Locale.ROOT, "  %-56s %8.2f   (%s)%n", ratio.name(), ratio.value(), ratio.target()));
        }
        return table.toString();
    }

    private static Ratio ratio(
            List<Measurement> measurements,
            String name,
            String benchmark,
            Contender over,
            Contender under,
            String target) {
        return new Ratio(
                name, median(measurements, benchmark, over, 1) / median(measurements, benchmark, under, 1), target);
    }

    private static double median(List<Measurement> measurements, String benchmark, Contender contender, int threads) {
        return measurements.stream()
                .filter(m -> m.benchmark().equals(benchmark) && m.contender() == contender && m.threads() == threads)
                .mapToDouble(Measurement::medianNanos)
                .findFirst()
                .orElseThrow();
    }
}
