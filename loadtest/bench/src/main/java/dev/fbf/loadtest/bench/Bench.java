package dev.fbf.loadtest.bench;

import dev.fbf.loadtest.bench.BenchReport.Measurement;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs all contenders in one run, fork by fork in turn, and compares their medians. */
public final class Bench implements Run {

    @Override
    public Findings run(Settings settings) throws RunnerException, IOException, InterruptedException {
        BenchCase.Sizes sizes =
                new BenchCase.Sizes(1, settings.atLeastOne("mebibytes"), settings.atLeastOne("largeMebibytes"));
        List<Measurement> measurements = measure(sizes, settings);
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

    /** A fork of each case, then another of each: what else the machine does then meets all of them alike. */
    private static List<Measurement> measure(BenchCase.Sizes sizes, Settings settings) throws RunnerException {
        Map<BenchCase, Samples> samples = new LinkedHashMap<>();
        BenchCase.all(sizes).forEach(one -> samples.put(one, new Samples()));
        for (int fork = settings.atLeastOne("forks"); fork > 0; fork--) {
            for (Map.Entry<BenchCase, Samples> entry : samples.entrySet()) {
                for (RunResult result : new Runner(options(entry.getKey(), settings)).run()) {
                    entry.getValue().add(result);
                }
                System.out.println(entry.getKey() + ": " + entry.getValue().medianNanos() + " ns");
            }
        }
        List<Measurement> measurements = new ArrayList<>();
        samples.forEach((one, of) -> measurements.add(new Measurement(
                one.benchmark(), one.contender(), one.mebibytes(), one.threads(), of.medianNanos(), of.medianBytes())));
        return measurements;
    }

    static Options options(BenchCase one, Settings settings, String... jvm) {
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
                .jvmArgsAppend(jvm)
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

    /** The iterations of all forks of a case. */
    static final class Samples {

        private final List<Double> nanos = new ArrayList<>();
        private final List<Double> bytes = new ArrayList<>();

        double medianNanos() {
            return Rounds.median(nanos);
        }

        double medianBytes() {
            return Rounds.median(bytes);
        }

        void add(RunResult run) {
            for (BenchmarkResult fork : run.getBenchmarkResults()) {
                for (IterationResult iteration : fork.getIterationResults()) {
                    nanos.add(iteration.getPrimaryResult().getScore());
                    Result<?> allocation = iteration.getSecondaryResults().get("gc.alloc.rate.norm");
                    bytes.add(allocation == null ? Double.NaN : allocation.getScore());
                }
            }
        }
    }
}
