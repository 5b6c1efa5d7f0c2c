package dev.fbf.loadtest.bench.guard;

import dev.fbf.core.guard.Durability;
import dev.fbf.loadtest.harness.Medians;
import dev.fbf.loadtest.harness.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a run found.
 *
 * @param turns of the contenders, as they came
 * @param writes turns, as they came; empty where the machine does not tell
 * @param rebuild of a filter
 * @param summaries one for each contender
 * @param bytes the medians of the bytes that were written for an operation, by the operations of a transaction
 */
record DurabilityReport(
        List<Turn> turns,
        List<LogWrites.Turn> writes,
        LogRebuild.Result rebuild,
        List<Summary> summaries,
        Map<Integer, Double> bytes) {

    /** The contenders, each with both durabilities. */
    static final List<GuardContender> CONTENDERS = List.of(GuardContender.FILTER, GuardContender.COUNTERS);

    private static final Map<Integer, Double> MOST_BYTES = Map.of(1, 8_192.0, 16, 1_024.0, 100, 200.0);
    private static final double LEAST_OVER_PROCESS = 0.8;
    private static final double MOST_SECONDS = 2;

    /**
     * A contender's.
     *
     * @param contender what adds
     * @param durability what it survives
     * @param perSecond operations in a second
     */
    record Turn(GuardContender contender, Durability durability, double perSecond) {}

    /**
     * A contender's turns: medians.
     *
     * @param contender what adds
     * @param process operations in a second with {@code durability=process}
     * @param host the same with {@code host}
     * @param hostOverProcess the ratio of the medians
     */
    record Summary(GuardContender contender, double process, double host, double hostOverProcess) {}

    static DurabilityReport of(List<Turn> turns, List<LogWrites.Turn> writes, LogRebuild.Result rebuild) {
        List<Summary> summaries = new ArrayList<>();
        for (GuardContender contender : CONTENDERS) {
            double process = perSecond(turns, contender, Durability.PROCESS);
            double host = perSecond(turns, contender, Durability.HOST);
            summaries.add(new Summary(contender, process, host, host / process));
        }
        Map<Integer, List<Double>> byBatch = new TreeMap<>();
        writes.forEach(turn -> byBatch.computeIfAbsent(turn.batch(), batch -> new ArrayList<>())
                .add(turn.bytes()));
        Map<Integer, Double> bytes = new TreeMap<>();
        byBatch.forEach((batch, its) -> bytes.put(batch, Medians.of(its)));
        return new DurabilityReport(turns, writes, rebuild, summaries, bytes);
    }

    private static double perSecond(List<Turn> turns, GuardContender contender, Durability durability) {
        return Medians.of(turns.stream()
                .filter(turn -> turn.contender() == contender && turn.durability() == durability)
                .map(Turn::perSecond)
                .toList());
    }

    List<Target> targets() {
        List<Target> targets = new ArrayList<>();
        for (Summary summary : summaries) {
            targets.add(Target.atLeast(
                    summary.contender() + ": host over process, operations/s",
                    LEAST_OVER_PROCESS,
                    summary.hostOverProcess()));
        }
        bytes.forEach((batch, of) -> {
            if (MOST_BYTES.containsKey(batch)) {
                targets.add(Target.atMost("bytes for an operation, " + batch + " together", MOST_BYTES.get(batch), of));
            }
        });
        targets.add(Target.atMost(
                "rebuild from a log of " + rebuild.operations() + " operations, s",
                MOST_SECONDS,
                Medians.of(rebuild.seconds())));
        return targets;
    }

    String table() {
        StringBuilder table = new StringBuilder();
        table.append(line("%n  %-16s %12s %12s %8s", "operations/s", "process", "host", "ratio"));
        for (Summary summary : summaries) {
            table.append(line(
                    "  %-16s %,12.0f %,12.0f %8.2f",
                    summary.contender(), summary.process(), summary.host(), summary.hostOverProcess()));
        }
        bytes.forEach((batch, of) ->
                table.append(line("  %,.0f bytes are written for each of %d operations of a transaction", of, batch)));
        return table.toString();
    }

    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format + "%n", values);
    }
}
