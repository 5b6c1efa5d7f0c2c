package dev.fbf.loadtest.bench;

import dev.fbf.loadtest.bench.BenchReport.Measurement;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs all contenders in one run, fork by fork in turn, and compares their medians. */
public final class Bench implements Run {

    /** The first JDK that maps the filter by {@code java.lang.foreign}. */
    private static final int FIRST_FOREIGN = 22;

    @Override
    public Findings run(Settings settings) throws RunnerException, IOException, InterruptedException {
        BenchCase.Sizes sizes =
                new BenchCase.Sizes(1, settings.atLeastOne("mebibytes"), settings.atLeastOne("largeMebibytes"));
        List<BenchCase> cases = BenchCase.all(sizes, Runtime.version().feature() >= FIRST_FOREIGN);
        List<Measurement> measurements = measure(cases, settings);
        int openMebibytes = settings.atLeastOne("openMebibytes");
        int clearMebibytes = settings.atLeastOne("clearMebibytes");
        Background background = new Background(
                openMebibytes,
                OpenAfterKill.medianMillis(openMebibytes),
                clearMebibytes,
                ClearWhileChecking.measure(clearMebibytes, settings.millis("clearPeriodMillis")),
                WriteWhilePutting.ratio(clearMebibytes));
        BenchReport report = new BenchReport(measurements);
        return new Findings(report, report.table(), report.targets(sizes, background), List.of(), Map.of());
    }

    /** What is not a single call. */
    record Background(
            int openMebibytes,
            double openMillis,
            int clearMebibytes,
            ClearWhileChecking.Result clearing,
            double writeRatio) {}

    /** A fork of each case, then another of each: other work of the machine meets all of them alike. */
    private static List<Measurement> measure(Collection<BenchCase> cases, Settings settings) throws RunnerException {
        Map<BenchCase, List<IterationResult>> iterations = new LinkedHashMap<>();
        for (BenchCase one : Rounds.of(settings.atLeastOne("forks"), cases)) {
            List<IterationResult> own = iterations.computeIfAbsent(one, none -> new ArrayList<>());
            new Runner(options(one, settings))
                    .run().stream()
                            .flatMap(result -> result.getBenchmarkResults().stream())
                            .forEach(fork -> own.addAll(fork.getIterationResults()));
            System.out.println(one + ": " + medianNanos(own) + " ns");
        }
        List<Measurement> measurements = new ArrayList<>();
        iterations.forEach((one, own) -> measurements.add(new Measurement(
                one,
                medianNanos(own),
                Rounds.median(own.stream().map(Bench::bytes).toList()))));
        return measurements;
    }

    private static double medianNanos(List<IterationResult> iterations) {
        return Rounds.median(iterations.stream()
                .map(iteration -> iteration.getPrimaryResult().getScore())
                .toList());
    }

    private static double bytes(IterationResult iteration) {
        Result<?> allocation = iteration.getSecondaryResults().get("gc.alloc.rate.norm");
        return allocation == null ? Double.NaN : allocation.getScore();
    }

    private static Options options(BenchCase one, Settings settings) {
        int iterations = settings.atLeastOne("iterations");
        int millis = settings.atLeastOne("millis");
        // short, so that what is put stays within what the filters are planned for
        TimeValue time = TimeValue.milliseconds(one.benchmark().equals("put") ? Math.max(1, millis / 10) : millis);
        return new OptionsBuilder()
                .include(FilterBenchmark.class.getName() + "\\." + one.benchmark() + "$")
                .param("contender", one.contender().name())
                .param("mebibytes", Integer.toString(one.mebibytes()))
                .forks(1)
                .jvmArgs("-Xmx" + (1024 + 2 * one.mebibytes()) + "m")
                .jvmArgsAppend(
                        one.memory().isEmpty() ? new String[0] : new String[] {"-Ddev.fbf.memory=" + one.memory()})
                .warmupIterations(iterations)
                .warmupTime(time)
                .measurementIterations(iterations)
                .measurementTime(time)
                .threads(one.threads())
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true)
                .addProfiler(GCProfiler.class)
                .build();
    }
}
