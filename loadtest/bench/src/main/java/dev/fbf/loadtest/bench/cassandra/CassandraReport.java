package dev.fbf.loadtest.bench.cassandra;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.bench.cassandra.CassandraBench.Turn;
import dev.fbf.loadtest.bench.cassandra.CassandraBench.Workload;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What the benchmark found.
 *
 * @param turns as they came
 * @param summaries the medians of each contender in each workload
 * @param rebuildOperations the operations of the window that a new node read
 * @param rebuildSeconds how long that took it, from its opening until it admitted operations
 * @param bytes what Cassandra's files keep of an operation; 0 if that was not measured
 */
record CassandraReport(
        List<Turn> turns, List<Summary> summaries, int rebuildOperations, double rebuildSeconds, double bytes) {

    private static final double MOST_SECONDS = 2;
    private static final double MOST_BYTES = 40;
    private static final double MOST_LATENCY = 1.2;
    private static final double MOST_UNFAIR = 5;
    private static final double LEAST_OF_SHARED = 2.5;

    /**
     * A contender in a workload.
     *
     * @param overColumn increments a second over those of Cassandra's own counter column
     * @param unfairness the p99 of the slowest node of the application over that of the fastest
     */
    record Summary(
            Workload workload,
            Contender contender,
            double perSecond,
            double overColumn,
            double p50Millis,
            double p99Millis,
            double unfairness) {}

    static CassandraReport of(List<Turn> turns, int rebuildOperations, double rebuildSeconds, double bytes) {
        List<Summary> summaries = new ArrayList<>();
        for (Workload workload : turns.stream().map(Turn::workload).distinct().toList()) {
            List<Turn> here = turns.stream()
                    .filter(turn -> turn.workload().equals(workload))
                    .toList();
            double column = median(here, Contender.COLUMN, Turn::perSecond);
            here.stream().map(Turn::contender).distinct().sorted().forEach(contender -> {
                double perSecond = median(here, contender, Turn::perSecond);
                summaries.add(new Summary(
                        workload,
                        contender,
                        perSecond,
                        perSecond / column,
                        median(here, contender, Turn::p50Millis),
                        median(here, contender, Turn::p99Millis),
                        median(here, contender, CassandraReport::unfairness)));
            });
        }
        return new CassandraReport(List.copyOf(turns), summaries, rebuildOperations, rebuildSeconds, bytes);
    }

    private static double unfairness(Turn turn) {
        double slowest =
                turn.p99OfNodes().stream().max(Comparator.naturalOrder()).orElse(1.0);
        double fastest =
                turn.p99OfNodes().stream().min(Comparator.naturalOrder()).orElse(1.0);
        return slowest / fastest;
    }

    private static double median(List<Turn> turns, Contender contender, ToDoubleFunction<Turn> figure) {
        return Rounds.median(turns.stream()
                .filter(turn -> turn.contender() == contender)
                .map(figure::applyAsDouble)
                .toList());
    }

    List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Summary summary : summaries) {
            String name = summary.workload + ": " + summary.contender;
            least(summary)
                    .ifPresent(least -> targets.add(
                            Target.atLeast(name + " over COLUMN, increments/s", least, summary.overColumn)));
            if (summary.contender.nodes() > 1) {
                targets.add(Target.atMost(
                        name + ", p99 of the slowest node over the fastest's", MOST_UNFAIR, summary.unfairness));
            }
        }
        find(Contender.LANE)
                .ifPresent(lane -> find(Contender.CONDITIONAL)
                        .ifPresent(bare -> targets.add(Target.atMost(
                                "1 client: LANE over CONDITIONAL, p50",
                                MOST_LATENCY,
                                lane.p50Millis / bare.p50Millis))));
        targets.add(
                Target.atMost("rebuild from " + rebuildOperations + " operations, s", MOST_SECONDS, rebuildSeconds));
        if (bytes > 0) {
            targets.add(Target.atMost("bytes in Cassandra for an operation, 16 together", MOST_BYTES, bytes));
        }
        return targets;
    }

    private static Optional<Double> least(Summary summary) {
        if (summary.contender.nodes() > 1 && summary.workload.clients() == 64) {
            return Optional.of(LEAST_OF_SHARED);
        }
        if (summary.contender != Contender.LANE) {
            return Optional.empty();
        }
        return switch (summary.workload.clients()) {
            case 16 -> Optional.of(2.5);
            case 64 -> Optional.of(summary.workload.counters() == 1 ? 6.0 : 4.0);
            default -> Optional.empty();
        };
    }

    private Optional<Summary> find(Contender contender) {
        return summaries.stream()
                .filter(summary -> summary.workload.clients() == 1 && summary.contender == contender)
                .findFirst();
    }

    String table() {
        StringBuilder table = new StringBuilder("\n");
        table.append(Table.of(summaries)
                .text("workload", Summary::workload)
                .text("", Summary::contender)
                .number("increments/s", "%,.0f", Summary::perSecond)
                .number("ratio", "%.2f", Summary::overColumn)
                .number("p50 ms", "%.1f", Summary::p50Millis)
                .number("p99 ms", "%.1f", Summary::p99Millis)
                .number("p99 slowest / fastest node", "%.1f", Summary::unfairness));
        table.append('\n');
        for (Contender contender : Contender.values()) {
            table.append(format("  %-14s %s%n", contender, contender.description()));
        }
        return table.toString();
    }
}
