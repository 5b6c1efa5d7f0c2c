package dev.fbf.loadtest.bench.cassandra;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.bench.Summary;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The result of the benchmark.
 *
 * @param turns whose labels are workloads
 * @param summaries each contender in each workload; {@code overColumn} is its increments per second over those of Cassandra's own
 *     counter column
 * @param rebuildOperations operations of the window that a new node read
 * @param rebuildSeconds time from its opening until it admitted operations
 * @param bytes what Cassandra's files keep of an operation; 0 if that was not measured
 */
record CassandraReport(
        List<Turn> turns, List<Summary> summaries, int rebuildOperations, double rebuildSeconds, double bytes) {

    private static final double MOST_SECONDS = 2;
    private static final double MOST_BYTES = 40;
    private static final double MOST_LATENCY = 1.2;
    private static final double MOST_UNFAIR = 3;
    private static final double LEAST_OF_SHARED = 3;

    static CassandraReport of(List<Turn> turns, int rebuildOperations, double rebuildSeconds, double bytes) {
        List<Summary> summaries = Summary.of(turns);
        for (Summary summary : summaries) {
            double column = Rounds.median(Summary.column(
                    turns.stream()
                            .filter(turn -> turn.label().equals(summary.label()))
                            .filter(turn -> turn.contender() == Contender.COLUMN)
                            .toList(),
                    "perSecond"));
            summary.figures().put("overColumn", summary.get("perSecond") / column);
        }
        return new CassandraReport(turns, summaries, rebuildOperations, rebuildSeconds, bytes);
    }

    List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Summary summary : summaries) {
            String name = summary.label() + ": " + summary.contender();
            double least = least(summary);
            if (least > 0) {
                targets.add(Target.atLeast(name + " over COLUMN, increments/s", least, summary.get("overColumn")));
            }
            if (isShared(summary)) {
                targets.add(Target.atMost(
                        name + ", p99 of the slowest node over the fastest's", MOST_UNFAIR, summary.get("unfairness")));
            }
        }
        ofOneClient(Contender.LANE)
                .flatMap(lane -> ofOneClient(Contender.CONDITIONAL)
                        .map(bare -> Target.atMost(
                                "1 client: LANE over CONDITIONAL, p50",
                                MOST_LATENCY,
                                lane.get("p50Millis") / bare.get("p50Millis"))))
                .forEach(targets::add);
        targets.add(
                Target.atMost("rebuild from " + rebuildOperations + " operations, s", MOST_SECONDS, rebuildSeconds));
        if (bytes > 0) {
            targets.add(Target.atMost("bytes in Cassandra for an operation, 16 together", MOST_BYTES, bytes));
        }
        return targets;
    }

    private static boolean isShared(Summary summary) {
        return summary.contender() == Contender.LANE_OF_TWO || summary.contender() == Contender.LANE_OF_THREE;
    }

    /** The least increments per second over {@code COLUMN}'s; 0 if there is no target. */
    private static double least(Summary summary) {
        int clients = (int) summary.get("clients");
        if (isShared(summary)) {
            return clients == 64 ? LEAST_OF_SHARED : 0;
        }
        if (summary.contender() != Contender.LANE) {
            return 0;
        }
        return switch (clients) {
            case 16 -> 2.5;
            case 64 -> summary.get("counters") == 1 ? 7 : 4;
            default -> 0;
        };
    }

    private Stream<Summary> ofOneClient(Contender contender) {
        return summaries.stream()
                .filter(summary -> summary.get("clients") == 1 && summary.contender() == contender)
                .limit(1);
    }

    String table() {
        StringBuilder table = new StringBuilder("\n" + Summary.table(summaries) + "\n");
        for (Contender contender : Contender.values()) {
            table.append(format("  %-14s %s%n", contender, contender.description()));
        }
        return table.toString();
    }
}
