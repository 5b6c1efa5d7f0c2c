package dev.fbf.loadtest.bench;

import dev.fbf.loadtest.bench.BenchReport.Measurement;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.runner.RunnerException;

/** Compares the filter by {@code java.lang.foreign} with the filter by Chronicle, fork by fork in turn. Needs JDK 22 or newer. */
public final class MemoryBench implements Run {

    private static final List<String> MEMORIES = List.of("foreign", "chronicle");

    @Override
    public Findings run(Settings settings) throws RunnerException {
        if (Runtime.version().feature() < 22) {
            System.out.println("This JDK has no java.lang.foreign to compare with Chronicle.");
            return Findings.NONE;
        }
        int middle = settings.atLeastOne("mebibytes");
        int[] sizes = {middle, settings.atLeastOne("largeMebibytes")};
        List<BenchCase> cases = new ArrayList<>();
        for (String memory : MEMORIES) {
            cases.add(new BenchCase("check", Contender.LINES, middle, 1, memory));
            for (int mebibytes : sizes) {
                cases.add(new BenchCase("check", Contender.FBF_N4, mebibytes, 1, memory));
                cases.add(new BenchCase("put", Contender.FBF_N4, mebibytes, 1, memory));
            }
        }
        BenchReport report = new BenchReport(Bench.measure(cases, settings));
        return new Findings(report, report.table(), targets(report, sizes), List.of(), Map.of());
    }

    static List<Target> targets(BenchReport report, int... sizes) {
        List<Target> targets = new ArrayList<>();
        for (int mebibytes : sizes) {
            for (String benchmark : List.of("check", "put")) {
                targets.add(Target.atMost(
                        benchmark + ", " + mebibytes + " MiB: foreign over Chronicle",
                        1,
                        report.median(new BenchCase(benchmark, Contender.FBF_N4, mebibytes, 1, "foreign"))
                                / report.median(
                                        new BenchCase(benchmark, Contender.FBF_N4, mebibytes, 1, "chronicle"))));
            }
        }
        targets.add(Target.atMost(
                "back to back: fbf over the bare lines, foreign",
                1.6,
                report.median(new BenchCase("check", Contender.FBF_N4, sizes[0], 1, "foreign"))
                        / report.median(new BenchCase("check", Contender.LINES, sizes[0], 1, "foreign"))));
        targets.add(Target.atMost(
                "allocated: bytes for a check or put of fbf, at most",
                0,
                report.measurements().stream()
                        .mapToDouble(Measurement::bytesPerCall)
                        // the least object takes 16 bytes; JMH's own, between iterations, a part of a byte per call
                        .map(Math::floor)
                        .max()
                        .orElseThrow()));
        return targets;
    }
}
