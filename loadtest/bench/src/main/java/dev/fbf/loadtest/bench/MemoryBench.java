package dev.fbf.loadtest.bench;

import dev.fbf.loadtest.bench.Bench.Samples;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;

/** Compares the filter by {@code java.lang.foreign} with the filter by Chronicle, fork by fork in turn. Needs JDK 22 or newer. */
public final class MemoryBench implements Run {

    enum Memory {
        FOREIGN,
        CHRONICLE;

        private String option() {
            return "-Ddev.fbf.memory=" + (this == CHRONICLE ? "chronicle" : "foreign");
        }
    }

    private record MemoryCase(BenchCase one, Memory memory) {}

    record Measurement(
            String benchmark,
            Contender contender,
            int mebibytes,
            Memory memory,
            double medianNanos,
            double bytesPerCall) {}

    @Override
    public Findings run(Settings settings) throws RunnerException {
        if (Runtime.version().feature() < 22) {
            System.out.println("This JDK has no java.lang.foreign to compare with Chronicle.");
            return Findings.NONE;
        }
        int middle = settings.atLeastOne("mebibytes");
        int large = settings.atLeastOne("largeMebibytes");
        Map<MemoryCase, Samples> samples = new LinkedHashMap<>();
        for (BenchCase one : List.of(
                new BenchCase("check", Contender.FBF_N4, middle, 1),
                new BenchCase("check", Contender.LINES, middle, 1),
                new BenchCase("put", Contender.FBF_N4, middle, 1),
                new BenchCase("check", Contender.FBF_N4, large, 1),
                new BenchCase("put", Contender.FBF_N4, large, 1))) {
            for (Memory memory : Memory.values()) {
                samples.put(new MemoryCase(one, memory), new Samples());
            }
        }
        for (MemoryCase turn : Rounds.of(settings.atLeastOne("forks"), samples.keySet())) {
            Samples of = Objects.requireNonNull(samples.get(turn));
            for (RunResult result :
                    new Runner(Bench.options(turn.one(), settings, turn.memory().option())).run()) {
                of.add(result);
            }
            System.out.println(turn + ": " + of.medianNanos() + " ns");
        }
        Report report = Report.of(samples);
        return new Findings(report, report.table(), report.targets(middle, large), List.of(), Map.of());
    }

    record Report(List<Measurement> measurements) {

        private static Report of(Map<MemoryCase, Samples> samples) {
            List<Measurement> measurements = new ArrayList<>();
            samples.forEach((turn, of) -> measurements.add(new Measurement(
                    turn.one().benchmark(),
                    turn.one().contender(),
                    turn.one().mebibytes(),
                    turn.memory(),
                    of.medianNanos(),
                    of.medianBytes())));
            return new Report(measurements);
        }

        List<Target> targets(int middle, int large) {
            List<Target> targets = new ArrayList<>();
            for (int mebibytes : new int[] {middle, large}) {
                for (String benchmark : List.of("check", "put")) {
                    targets.add(Target.atMost(
                            benchmark + ", " + mebibytes + " MiB: foreign over Chronicle",
                            1,
                            median(benchmark, Contender.FBF_N4, mebibytes, Memory.FOREIGN)
                                    / median(benchmark, Contender.FBF_N4, mebibytes, Memory.CHRONICLE)));
                }
            }
            targets.add(Target.atMost(
                    "back to back: fbf over the bare lines, foreign",
                    1.6,
                    median("check", Contender.FBF_N4, middle, Memory.FOREIGN)
                            / median("check", Contender.LINES, middle, Memory.FOREIGN)));
            targets.add(Target.atMost(
                    "allocated: bytes for a check or put of fbf, at most",
                    0,
                    measurements.stream()
                            // the least object takes 16 bytes; JMH's own, between iterations, a part of a byte per call
                            .mapToDouble(m -> Math.floor(m.bytesPerCall()))
                            .max()
                            .orElseThrow()));
            return targets;
        }

        private double median(String benchmark, Contender contender, int mebibytes, Memory memory) {
            return measurements.stream()
                    .filter(m -> m.benchmark().equals(benchmark)
                            && m.contender() == contender
                            && m.mebibytes() == mebibytes
                            && m.memory() == memory)
                    .mapToDouble(Measurement::medianNanos)
                    .findFirst()
                    .orElseThrow();
        }

        String table() {
            return "\n"
                    + Table.of(measurements)
                            .text("", Measurement::benchmark)
                            .text("", Measurement::contender)
                            .number("size", "%d MiB", Measurement::mebibytes)
                            .text("", Measurement::memory)
                            .number("median", "%.1f ns", Measurement::medianNanos)
                            .number("allocated", "%.2f B", Measurement::bytesPerCall);
        }
    }
}
