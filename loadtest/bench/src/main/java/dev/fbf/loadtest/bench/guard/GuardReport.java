package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.bench.Summary;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The result of the guard benchmark.
 *
 * @param syncMicros time of a sync of the disk, which decides the bound for a hot row
 */
record GuardReport(List<Turn> turns, List<Result> results, double syncMicros) {

    private static final double MOST_LOG_BYTES = 300;
    private static final double MOST_TABLE_BYTES = 50;

    /** The contenders in a workload. */
    record Result(Workload workload, List<Summary> summaries) {}

    /**
     * Summarizes turns.
     *
     * @param accuracies of each contender's counters after each workload: more figures of its summary
     */
    static GuardReport of(
            List<Turn> turns, Map<Workload, Map<GuardContender, Map<String, Double>>> accuracies, double syncMicros) {
        List<Result> results = new ArrayList<>();
        accuracies.forEach((workload, byContender) -> {
            List<Summary> summaries = Summary.of(turns.stream()
                    .filter(turn -> turn.series().equals(workload.name()))
                    .toList());
            summaries.forEach(
                    summary -> summary.figures().putAll(byContender.getOrDefault(summary.contender(), Map.of())));
            results.add(new Result(workload, summaries));
        });
        return new GuardReport(turns, results, syncMicros);
    }

    /** Returns the ratios between contenders, the bytes of a ledger group's increment, and the largest error of each guarded contender. */
    List<Target> targets() {
        List<Target> targets = new ArrayList<>(Targets.of(turns, syncMicros));
        for (Result result : results) {
            for (Summary summary : result.summaries) {
                String name = result.workload + ": " + summary.contender() + ", ";
                if (result.workload == Workload.ROWS && summary.contender() == GuardContender.COUNTERS_LEDGER) {
                    targets.add(Target.atMost(
                            name + "bytes of the log for an increment", MOST_LOG_BYTES, summary.get("walBytes")));
                    targets.add(Target.atMost(
                            name + "bytes of tables for an increment", MOST_TABLE_BYTES, summary.get("tableBytes")));
                }
            }
        }
        for (GuardContender contender : GuardContender.values()) {
            mostWrong(contender)
                    .forEach(wrong -> targets.add(Target.atMost("wrong counters of " + contender, 0, wrong)));
        }
        return targets;
    }

    /** Guarded contenders whose counters were wrong after any workload. */
    List<String> failures() {
        return Stream.of(GuardContender.values())
                .filter(contender -> mostWrong(contender).anyMatch(wrong -> wrong > 0))
                .map(contender -> contender + ": its counters are not what its clients were told")
                .toList();
    }

    /** The most wrong counters of a guarded contender after any workload; empty if it took no part. */
    private Stream<Double> mostWrong(GuardContender contender) {
        return results.stream()
                .flatMap(result -> result.summaries.stream())
                .filter(summary -> summary.contender() == contender && contender.isGuarded())
                .map(summary -> summary.get("wrongCounters"))
                .max(Double::compare)
                .stream();
    }

    /** A table for each workload. */
    String table() {
        StringBuilder text = new StringBuilder();
        for (Result result : results) {
            Workload workload = result.workload;
            text.append(format(
                    "%n  %s: %s, %.0f %% retries%n%s",
                    workload, workload.description(), workload.retries() * 100, Summary.table(result.summaries)));
        }
        return text + "\n"
                + Table.of(List.of(GuardContender.values()))
                        .text("", GuardContender::name)
                        .text("", GuardContender::description);
    }
}
