package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Runs the guard benchmark of contenders with {@code durability=host} beside {@code process}; then measures the bytes that are written,
 * and the rebuild of a filter from its log. Fails if counters are wrong, or a rebuilt filter lacks an operation.
 */
public final class DurabilityBench implements Run {

    private static final Map<Integer, Double> MOST_BYTES = Map.of(1, 8_192.0, 16, 1_024.0, 100, 200.0);
    private static final double MOST_SECONDS = 2;

    /**
     * The result.
     *
     * @param results of the guard benchmark
     * @param writes turns, in their order; empty where the machine does not count writes
     * @param bytes the medians of the bytes that were written per operation, by the operations of a transaction
     */
    record Report(
            List<GuardReport.Result> results,
            List<DurableLog.Turn> writes,
            DurableLog.Rebuild rebuild,
            Map<Integer, Double> bytes) {

        static Report of(List<GuardReport.Result> results, List<DurableLog.Turn> writes, DurableLog.Rebuild rebuild) {
            Map<Integer, Double> bytes = writes.stream()
                    .collect(Collectors.groupingBy(
                            DurableLog.Turn::batch,
                            TreeMap::new,
                            Collectors.collectingAndThen(
                                    Collectors.mapping(DurableLog.Turn::bytes, Collectors.toList()), Rounds::median)));
            return new Report(results, writes, rebuild, bytes);
        }

        List<Target> targets() {
            List<Target> targets = new ArrayList<>();
            new TreeMap<>(MOST_BYTES)
                    .forEach((batch, most) -> Optional.ofNullable(bytes.get(batch))
                            .ifPresent(each -> targets.add(
                                    Target.atMost("bytes for an operation, " + batch + " together", most, each))));
            targets.add(Target.atMost(
                    "rebuild from a log of " + rebuild.operations() + " operations, s",
                    MOST_SECONDS,
                    Rounds.median(rebuild.seconds())));
            return targets;
        }

        String table() {
            StringBuilder table = new StringBuilder("\n");
            bytes.forEach((batch, each) -> table.append(
                    format("  %,.0f bytes are written for each of %d operations of a transaction%n", each, batch)));
            return table.toString();
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        Findings guard = new GuardBench().run(settings);
        Path directory = settings.directory();
        int rounds = settings.atLeastOne("rounds");
        Report report = Report.of(
                ((GuardReport) guard.figures()).results(),
                DurableLog.writes(
                        directory.resolve("writes"),
                        settings.list("batches").map(Integer::valueOf).toList(),
                        rounds,
                        settings.millis("writesMillis")),
                DurableLog.rebuild(directory.resolve("rebuild"), settings.atLeastOne("rebuildOperations"), rounds));
        List<Target> targets = new ArrayList<>(guard.targets());
        targets.addAll(report.targets());
        List<String> failures = new ArrayList<>(guard.failures());
        if (report.rebuild.lost() > 0) {
            failures.add(report.rebuild.lost() + " operations are not in the filters that were rebuilt");
        }
        return new Findings(report, guard.table() + report.table(), targets, failures, guard.servers());
    }
}
