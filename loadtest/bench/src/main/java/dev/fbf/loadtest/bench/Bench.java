package dev.fbf.loadtest.bench;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs all filters in one run, fork by fork in turn, and compares the medians of their iterations. */
public final class Bench implements Run {

    /** As {@link Report#targets} reads it. */
    static final String TARGETS = """
            check, 64 MiB | FBF_N4 | GUAVA_N4 | perSecond | >=8
            check, 64 MiB | FBF_N22 | GUAVA_N22 | perSecond | >=25
            check, 1 MiB | FBF_N4 | GUAVA | perSecond | >=3.3
            check, 64 MiB | FBF_N4 | GUAVA | perSecond | >=1.5
            check, 2048 MiB | FBF_N4 | GUAVA | perSecond | >=1.8
            check, 64 MiB | FBF_N22 | FBF_N4 | nanos | <=1.45
            put, 64 MiB | FBF_N4 | GUAVA | nanos | <=1.1
            check by two threads, 64 MiB | FBF_N4 | check, 64 MiB: FBF_N4 | perSecond | >=1.7
            check, 64 MiB | FBF_N4 | - | allocatedBytes | <=0
            put, 64 MiB | FBF_N4 | - | allocatedBytes | <=0
            """;

    /** One benchmark of one contender. */
    private record Case(String benchmark, Contender contender, int mebibytes, int threads) {

        String workload() {
            return benchmark + (threads == 2 ? " by two threads, " : ", ") + mebibytes + " MiB";
        }
    }

    @Override
    public Findings run(Settings settings) throws RunnerException {
        List<Case> cases = new ArrayList<>();
        for (int mebibytes : settings.list("mebibytes").map(Integer::valueOf).toList()) {
            for (Contender contender : Contender.values()) {
                cases.add(new Case("check", contender, mebibytes, 1));
            }
            cases.add(new Case("put", Contender.GUAVA, mebibytes, 1));
            cases.add(new Case("put", Contender.FBF_N4, mebibytes, 1));
            cases.add(new Case("check", Contender.FBF_N4, mebibytes, 2));
        }
        List<Turn> turns = new ArrayList<>();
        // a fork of each, then another of each: other work of the machine meets all of them alike
        for (Case one : Rounds.of(settings.atLeastOne("forks"), cases)) {
            for (RunResult result : new Runner(options(one, settings)).run()) {
                result.getBenchmarkResults().stream()
                        .flatMap(fork -> fork.getIterationResults().stream())
                        .forEach(iteration -> turns.add(turn(one, iteration)));
            }
            System.out.println(turns.get(turns.size() - 1));
        }
        Report report = Report.of(turns);
        return new Findings(report, report.table(), report.targets(TARGETS), List.of(), Map.of());
    }

    private static Turn turn(Case one, IterationResult iteration) {
        double nanos = iteration.getPrimaryResult().getScore();
        Result<?> allocation = iteration.getSecondaryResults().get("gc.alloc.rate.norm");
        return new Turn(
                one.workload(),
                one.contender,
                Map.of(
                        "nanos",
                        nanos,
                        "perSecond",
                        1e9 * one.threads / nanos,
                        "allocatedBytes",
                        allocation == null ? Double.NaN : allocation.getScore()));
    }

    private static Options options(Case one, Settings settings) {
        int iterations = settings.atLeastOne("iterations");
        int millis = settings.atLeastOne("millis");
        // short, so that what is put stays within what the filters are planned for
        TimeValue time = TimeValue.milliseconds(one.benchmark.equals("put") ? Math.max(1, millis / 10) : millis);
        return new OptionsBuilder()
                .include(FilterBenchmark.class.getName() + "\\." + one.benchmark + "$")
                .param("contender", one.contender.name())
                .param("mebibytes", Integer.toString(one.mebibytes))
                .forks(1)
                .jvmArgs("-Xmx" + (1024 + 2 * one.mebibytes) + "m")
                .warmupIterations(iterations)
                .warmupTime(time)
                .measurementIterations(iterations)
                .measurementTime(time)
                .threads(one.threads)
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .addProfiler(GCProfiler.class)
                .build();
    }
}
