package dev.fbf.loadtest.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import tools.jackson.databind.json.JsonMapper;

/** Runs all contenders in one run, with one thread and with two, and prints the ratios of their medians. */
public final class Bench {

    private Bench() {}

    /** Measures, writes the JSON, and prints the table last. */
    public static void main(String[] args) throws RunnerException, IOException {
        int mebibytes = Integer.getInteger("bench.mebibytes", 64);
        List<Measurement> measurements = new ArrayList<>();
        measure("check", mebibytes, 1, measurements);
        measure("check", mebibytes, 2, measurements);
        measure("put", mebibytes, 1, measurements);
        BenchReport report = BenchReport.of(mebibytes, measurements);
        Path json = Path.of(System.getProperty("bench.result", "target/results/bench.json"));
        Files.createDirectories(json.toAbsolutePath().getParent());
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        System.out.print(report.table());
    }

    private static void measure(String benchmark, int mebibytes, int threads, List<Measurement> measurements)
            throws RunnerException {
        int iterations = Integer.getInteger("bench.iterations", 5);
        int millis = Integer.getInteger("bench.millis", 1000);
        // short, so that what is put stays within what the filters are planned for
        TimeValue time = TimeValue.milliseconds(benchmark.equals("put") ? Math.max(1, millis / 10) : millis);
        Options options = new OptionsBuilder()
                .include(FilterBenchmark.class.getName() + "." + benchmark)
                .param("mebibytes", Integer.toString(mebibytes))
                .forks(Integer.getInteger("bench.forks", 3))
                .warmupIterations(iterations)
                .warmupTime(time)
                .measurementIterations(iterations)
                .measurementTime(time)
                .threads(threads)
                .addProfiler(GCProfiler.class)
                .build();
        for (RunResult result : new Runner(options).run()) {
            measurements.add(Measurement.of(result, threads));
        }
    }
}
