package dev.fbf.loadtest.bench;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.List;

/** What a run found. */
record BenchReport(List<Measurement> measurements) {

    /**
     * One benchmark of one contender.
     *
     * @param medianNanos the median over forks and iterations, of one call in one thread
     * @param bytesPerCall what a call allocates on the heap
     */
    record Measurement(@JsonUnwrapped BenchCase of, double medianNanos, double bytesPerCall) {}

    /** What is compared: ratios of two medians of one run, or what the name says. */
    List<Target> targets(BenchCase.Sizes sizes, Bench.Background background) {
        int middle = sizes.middle();
        double fbf = check(Contender.FBF_N4, middle);
        double fbf22 = check(Contender.FBF_N22, middle);
        double putFbf = median("put", Contender.FBF_N4, middle, 1);
        double clock = median("checkAlone", Contender.NOTHING, middle, 1);
        double alone = median("checkAlone", Contender.FBF_N4, middle, 1) - clock;
        double limitAlone = median("checkAlone", Contender.LINES, middle, 1) - clock;
        double bulk = median("checkAll", Contender.FBF_N4, middle, 1);
        String cleared = background.clearMebibytes() + " MiB";
        List<Target> targets = new ArrayList<>(List.of(
                Target.atLeast("check: 6 Guava filters over fbf N = 4", 8, check(Contender.GUAVA_N4, middle) / fbf),
                Target.atLeast(
                        "check: 24 Guava filters over fbf N = 22", 25, check(Contender.GUAVA_N22, middle) / fbf22),
                oneGuava(sizes.small(), 3.3),
                oneGuava(middle, 1.5),
                oneGuava(sizes.large(), 1.8),
                Target.atMost("check: fbf N = 22 over fbf N = 4", 1.45, fbf22 / fbf),
                Target.atMost("put: fbf N = 4 over Guava", 1.1, putFbf / median("put", Contender.GUAVA, middle, 1)),
                Target.atLeast(
                        "check, fbf N = 4: throughput of two threads over one",
                        1.7,
                        2 * fbf / median("check", Contender.FBF_N4, middle, 2)),
                Target.atMost("one check at a time: fbf N = 4 over the bare lines", 1.6, alone / limitAlone),
                Target.atMost("back to back: fbf N = 4 over the bare lines", 1.6, fbf / check(Contender.LINES, middle)),
                Target.atMost(
                        "in bulk: fbf N = 4 over the bare lines",
                        1.4,
                        bulk / median("checkAll", Contender.LINES, middle, 1)),
                Target.atMost("allocated: bytes for a check or put of fbf, at most", 0, allocated()),
                Target.atMost(
                        "bits for an element at 1e-3, N = 4: SINGLE over PAPER, least of each",
                        0.62,
                        LeastBits.singleOverPaper(Contender.FPP, 4)),
                Target.atMost(
                        "open after a kill, " + background.openMebibytes() + " MiB, in ms",
                        200,
                        background.openMillis()),
                Target.atMost(
                        "clearing a generation, " + cleared + ", in ms",
                        500,
                        background.clearing().clearMillis()),
                Target.atMost(
                        "check while clearing over check else, " + cleared,
                        1.5,
                        background.clearing().checkRatio()),
                Target.atMost(
                        "writing a filter while two threads put, over a plain copy, " + cleared,
                        1.5,
                        background.writeRatio())));
        for (Measurement measurement : measurements) {
            BenchCase of = measurement.of();
            if (of.memory().equals(BenchCase.CHRONICLE)) {
                targets.add(Target.atMost(
                        of.benchmark() + ", " + of.mebibytes() + " MiB: java.lang.foreign over Chronicle",
                        1,
                        median(of.benchmark(), of.contender(), of.mebibytes(), 1) / measurement.medianNanos()));
            }
        }
        return targets;
    }

    private Target oneGuava(int mebibytes, double least) {
        return Target.atLeast(
                "check: one Guava filter over fbf N = 4, " + mebibytes + " MiB",
                least,
                check(Contender.GUAVA, mebibytes) / check(Contender.FBF_N4, mebibytes));
    }

    private double allocated() {
        return measurements.stream()
                .filter(m -> m.of().contender() == Contender.FBF_N4 || m.of().contender() == Contender.FBF_N22)
                .filter(m -> !m.of().benchmark().equals("checkAll")) // it returns an array
                .mapToDouble(Measurement::bytesPerCall)
                .max()
                .orElseThrow();
    }

    private double check(Contender contender, int mebibytes) {
        return median("check", contender, mebibytes, 1);
    }

    private double median(String benchmark, Contender contender, int mebibytes, int threads) {
        BenchCase one = new BenchCase(benchmark, contender, mebibytes, threads);
        return measurements.stream()
                .filter(m -> m.of().equals(one))
                .mapToDouble(Measurement::medianNanos)
                .findFirst()
                .orElseThrow();
    }

    String table() {
        return "\n"
                + Table.of(measurements)
                        .text("", m -> m.of().benchmark())
                        .text("", m -> m.of().contender())
                        .number("size", "%d MiB", m -> m.of().mebibytes())
                        .number("threads", "%d", m -> m.of().threads())
                        .text("", m -> m.of().memory())
                        .number("median", "%.1f ns", Measurement::medianNanos)
                        .number("allocated", "%.2f B", Measurement::bytesPerCall);
    }
}
