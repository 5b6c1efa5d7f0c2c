package dev.fbf.loadtest.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
import tools.jackson.databind.json.JsonMapper;

/** Runs all contenders in one run, fork by fork in turn, and prints the ratios of their medians. */
public final class Bench {

    private Bench() {}

    /** Measures, writes the JSON, and prints the table last. */
    public static void main(String[] args) throws RunnerException, IOException, InterruptedException {
        BenchCase.Sizes sizes = new BenchCase.Sizes(
                1, Integer.getInteger("bench.mebibytes", 64), Integer.getInteger("bench.largeMebibytes", 2048));
        List<Measurement> measurements = measure(sizes);
        int openMebibytes = Integer.getInteger("bench.openMebibytes", 1024);
        int clearMebibytes = Integer.getInteger("bench.clearMebibytes", 256);
        Background background = new Background(
                openMebibytes,
                OpenAfterKill.medianMillis(openMebibytes),
                clearMebibytes,
                ClearWhileChecking.measure(
                        clearMebibytes, Duration.ofMillis(Integer.getInteger("bench.clearPeriodMillis", 2000))));
        BenchReport report = BenchReport.of(sizes, measurements, background);
        Path json = Path.of(System.getProperty("bench.result", "target/results/bench.json"));
        Files.createDirectories(json.toAbsolutePath().getParent());
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        System.out.print(report.table());
    }

    /** What is not a single call. */
    record Background(int openMebibytes, double openMillis, int clearMebibytes, ClearWhileChecking.Result clearing) {}

    /** A fork of each case, then another of each: what else the machine does then meets all of them alike. */
    private static List<Measurement> measure(BenchCase.Sizes sizes) throws RunnerException {
        Map<BenchCase, Samples> samples = new LinkedHashMap<>();
        BenchCase.all(sizes).forEach(one -> samples.put(one, new Samples()));
        for (int fork = Integer.getInteger("bench.forks", 3); fork > 0; fork--) {
            for (Map.Entry<BenchCase, Samples> entry : samples.entrySet()) {
                for (RunResult result : new Runner(options(entry.getKey())).run()) {
                    entry.getValue().add(result);
                }
                System.out.println(entry.getKey() + ": " + Medians.of(entry.getValue().nanos) + " ns");
            }
        }
        List<Measurement> measurements = new ArrayList<>();
        samples.forEach((one, of) -> measurements.add(new Measurement(
                one.benchmark(),
                one.contender(),
                one.mebibytes(),
                one.threads(),
                Medians.of(of.nanos),
                Medians.of(of.bytes))));
        return measurements;
    }

    private static Options options(BenchCase one) {
        int iterations = Integer.getInteger("bench.iterations", 5);
        int millis = Integer.getInteger("bench.millis", 400);
        // short, so that what is put stays within what the filters are planned for
        TimeValue time = TimeValue.milliseconds(one.benchmark().equals("put") ? Math.max(1, millis / 10) : millis);
        return new OptionsBuilder()
                .include(FilterBenchmark.class.getName() + "\\." + one.benchmark() + "$")
                .param("contender", one.contender().name())
                .param("mebibytes", Integer.toString(one.mebibytes()))
                .forks(1)
                .jvmArgs("-Xmx" + (1024 + 2 * one.mebibytes()) + "m")
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
    private static final class Samples {

        private final List<Double> nanos = new ArrayList<>();
        private final List<Double> bytes = new ArrayList<>();

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
