package dev.fbf.loadtest.bench;

import dev.fbf.loadtest.harness.Bound;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a run found. */
record BenchReport(List<Measurement> measurements) {

    /** What is compared: ratios of two medians of one run, or what the name says. */
    List<Target> targets(BenchCase.Sizes sizes, Bench.Background background) {
        return new Rows(sizes, measurements, background).all();
    }

    String table() {
        StringBuilder table = new StringBuilder();
        table.append(String.format(
                Locale.ROOT, "%n  %-10s %-10s %10s %8s %12s %12s%n", "", "", "size", "threads", "median", "allocated"));
        for (Measurement measurement : measurements) {
            table.append(String.format(
                    Locale.ROOT,
                    "  %-10s %-10s %6d MiB %8d %9.1f ns %10.2f B%n",
                    measurement.benchmark(),
                    measurement.contender(),
                    measurement.mebibytes(),
                    measurement.threads(),
                    measurement.medianNanos(),
                    measurement.bytesPerCall()));
        }
        return table.toString();
    }

    private record Rows(BenchCase.Sizes sizes, List<Measurement> measurements, Bench.Background background) {

        List<Target> all() {
            int middle = sizes.middle();
            double fbf = check(Contender.FBF_N4, middle);
            List<Target> rows = new ArrayList<>();
            add(
                    rows,
                    "check: 6 Guava filters over fbf N = 4",
                    check(Contender.GUAVA_N4, middle) / fbf,
                    Bound.atLeast(8));
            double fbf22 = check(Contender.FBF_N22, middle);
            add(
                    rows,
                    "check: 24 Guava filters over fbf N = 22",
                    check(Contender.GUAVA_N22, middle) / fbf22,
                    Bound.atLeast(25));
            addOneGuava(rows);
            add(rows, "check: fbf N = 22 over fbf N = 4", fbf22 / fbf, Bound.atMost(1.5));
            double putFbf = median("put", Contender.FBF_N4, middle, 1);
            add(
                    rows,
                    "put: fbf N = 4 over Guava",
                    putFbf / median("put", Contender.GUAVA, middle, 1),
                    Bound.atMost(1.1));
            double twoThreads = median("check", Contender.FBF_N4, middle, 2);
            add(rows, "check, fbf N = 4: throughput of two threads over one", 2 * fbf / twoThreads, Bound.atLeast(1.7));
            double clock = alone(Contender.NOTHING);
            double limitAlone = alone(Contender.LINES) - clock;
            String alone = "one check at a time: fbf N = 4 over the bare lines";
            add(rows, alone, (alone(Contender.FBF_N4) - clock) / limitAlone, Bound.atMost(1.6));
            add(
                    rows,
                    "back to back: fbf N = 4 over the bare lines",
                    fbf / check(Contender.LINES, middle),
                    Bound.atMost(1.6));
            add(rows, "allocated: bytes for a check or put of fbf, at most", allocated(), Bound.atMost(0));
            double bits = LeastBits.singleOverPaper(Contender.FPP, 4);
            add(rows, "bits for an element at 1e-3, N = 4: SINGLE over PAPER, least of each", bits, Bound.atMost(0.62));
            addBackground(rows);
            return rows;
        }

        private void addOneGuava(List<Target> rows) {
            int[] mebibytes = {sizes.small(), sizes.middle(), sizes.large()};
            Bound[] targets = {Bound.atLeast(3), Bound.atLeast(1.5), Bound.atLeast(1.8)};
            for (int i = 0; i < mebibytes.length; i++) {
                add(
                        rows,
                        "check: one Guava filter over fbf N = 4, " + mebibytes[i] + " MiB",
                        check(Contender.GUAVA, mebibytes[i]) / check(Contender.FBF_N4, mebibytes[i]),
                        targets[i]);
            }
        }

        private void addBackground(List<Target> rows) {
            add(
                    rows,
                    "open after a kill, " + background.openMebibytes() + " MiB, in ms",
                    background.openMillis(),
                    Bound.atMost(200));
            String size = background.clearMebibytes() + " MiB";
            add(
                    rows,
                    "clearing a generation, " + size + ", in ms",
                    background.clearing().clearMillis(),
                    Bound.atMost(500));
            add(
                    rows,
                    "check while clearing over check else, " + size,
                    background.clearing().checkRatio(),
                    Bound.atMost(1.5));
        }

        private static void add(List<Target> rows, String name, double value, Bound bound) {
            rows.add(Target.of(name, bound, value));
        }

        private double allocated() {
            return measurements.stream()
                    .filter(m -> m.contender() == Contender.FBF_N4 || m.contender() == Contender.FBF_N22)
                    .mapToDouble(Measurement::bytesPerCall)
                    .max()
                    .orElseThrow();
        }

        private double alone(Contender contender) {
            return median("checkAlone", contender, sizes.middle(), 1);
        }

        private double check(Contender contender, int mebibytes) {
            return median("check", contender, mebibytes, 1);
        }

        private double median(String benchmark, Contender contender, int mebibytes, int threads) {
            return measurements.stream()
                    .filter(m -> m.benchmark().equals(benchmark)
                            && m.contender() == contender
                            && m.mebibytes() == mebibytes
                            && m.threads() == threads)
                    .mapToDouble(Measurement::medianNanos)
                    .findFirst()
                    .orElseThrow();
        }
    }
}
