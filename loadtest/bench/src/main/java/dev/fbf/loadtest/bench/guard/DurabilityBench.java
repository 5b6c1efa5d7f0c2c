package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.core.claim.Durability;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measures what {@code durability=host} costs beside {@code process}, in turn, what it writes, and how long a filter takes to
 * rebuild from its log. Fails if counters are wrong, or a rebuilt filter lacks an operation.
 */
public final class DurabilityBench implements Run {

    private static final int ROWS = 1_000;
    private static final List<GuardContender> CONTENDERS = List.of(GuardContender.FILTER, GuardContender.COUNTERS);
    private static final Map<Integer, Double> MOST_BYTES = Map.of(1, 8_192.0, 16, 1_024.0, 100, 200.0);
    private static final double LEAST_OVER_PROCESS = 0.8;
    private static final double MOST_SECONDS = 2;

    /** What takes turns. */
    private record Contest(GuardContender contender, Durability durability, Increments increments) {}

    /** Operations in a second. */
    record Turn(GuardContender contender, Durability durability, double perSecond) {}

    /** A contender's turns: the medians of operations in a second, with {@code process} and with {@code host}. */
    record Summary(GuardContender contender, double process, double host, double hostOverProcess) {}

    /**
     * What a run found.
     *
     * @param writes turns, as they came; empty where the machine does not tell
     * @param bytes the medians of the bytes that were written for an operation, by the operations of a transaction
     */
    record Report(
            List<Turn> turns,
            List<LogWrites.Turn> writes,
            LogRebuild.Result rebuild,
            List<Summary> summaries,
            Map<Integer, Double> bytes) {

        static Report of(List<Turn> turns, List<LogWrites.Turn> writes, LogRebuild.Result rebuild) {
            List<Summary> summaries = new ArrayList<>();
            for (GuardContender contender : CONTENDERS) {
                double process = perSecond(turns, contender, Durability.PROCESS);
                double host = perSecond(turns, contender, Durability.HOST);
                summaries.add(new Summary(contender, process, host, host / process));
            }
            Map<Integer, Double> bytes = new TreeMap<>();
            writes.stream()
                    .map(LogWrites.Turn::batch)
                    .distinct()
                    .forEach(batch -> bytes.put(
                            batch,
                            Rounds.median(writes.stream()
                                    .filter(turn -> turn.batch() == batch)
                                    .map(LogWrites.Turn::bytes)
                                    .toList())));
            return new Report(turns, writes, rebuild, summaries, bytes);
        }

        private static double perSecond(List<Turn> turns, GuardContender contender, Durability durability) {
            return Rounds.median(turns.stream()
                    .filter(turn -> turn.contender == contender && turn.durability == durability)
                    .map(Turn::perSecond)
                    .toList());
        }

        List<Target> targets() {
            List<Target> targets = new ArrayList<>();
            summaries.forEach(summary -> targets.add(Target.atLeast(
                    summary.contender + ": host over process, operations/s",
                    LEAST_OVER_PROCESS,
                    summary.hostOverProcess)));
            bytes.forEach((batch, of) -> {
                if (MOST_BYTES.containsKey(batch)) {
                    targets.add(
                            Target.atMost("bytes for an operation, " + batch + " together", MOST_BYTES.get(batch), of));
                }
            });
            targets.add(Target.atMost(
                    "rebuild from a log of " + rebuild.operations() + " operations, s",
                    MOST_SECONDS,
                    Rounds.median(rebuild.seconds())));
            return targets;
        }

        String table() {
            StringBuilder table = new StringBuilder("\n");
            table.append(Table.of(summaries)
                    .text("operations/s", Summary::contender)
                    .number("process", "%,.0f", Summary::process)
                    .number("host", "%,.0f", Summary::host)
                    .number("ratio", "%.2f", Summary::hostOverProcess));
            bytes.forEach((batch, of) -> table.append(
                    format("  %,.0f bytes are written for each of %d operations of a transaction%n", of, batch)));
            return table.toString();
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        Path directory = settings.directory();
        Directories.delete(directory);
        int rounds = settings.atLeastOne("rounds");
        List<LogWrites.Turn> writes = LogWrites.measure(
                directory.resolve("writes"),
                settings.list("batches").map(Integer::valueOf).toList(),
                rounds,
                settings.millis("writesMillis"));
        LogRebuild.Result rebuild =
                LogRebuild.measure(directory.resolve("rebuild"), settings.atLeastOne("rebuildOperations"), rounds);
        int threads = settings.atLeastOne("threads");
        List<String> failures = new ArrayList<>();
        if (rebuild.lost() > 0) {
            failures.add(rebuild.lost() + " operations are not in the filters that were rebuilt");
        }
        try (BenchDatabase database = BenchDatabase.start(settings.postgres(), directory, threads, ROWS, CONTENDERS);
                Crowd crowd = new Crowd(database, RedisServers.NONE, threads, false, ROWS)) {
            Report report = Report.of(turns(database, crowd, rounds, settings), writes, rebuild);
            for (GuardContender contender : CONTENDERS) {
                if (crowd.accuracy(contender).wrongCounters() > 0) {
                    failures.add(contender + ": its counters are not what its clients were told");
                }
            }
            return new Findings(
                    report, report.table(), report.targets(), failures, database.servers(RedisServers.NONE));
        }
    }

    private static List<Turn> turns(BenchDatabase database, Crowd crowd, int rounds, Settings settings)
            throws Exception {
        List<Contest> contests = new ArrayList<>();
        for (GuardContender contender : CONTENDERS) {
            for (Durability durability : Durability.values()) {
                String name = durability.name().toLowerCase(Locale.ROOT);
                Increments increments = database.application(
                        contender,
                        RedisServers.NONE,
                        settings.directory().resolve(name),
                        Map.of("fbf.durability", name));
                contests.add(new Contest(contender, durability, increments));
            }
        }
        for (Contest contest : contests) {
            crowd.run(Workload.ROWS, contest.contender, contest.increments, settings.millis("warmUpMillis"));
        }
        List<Turn> turns = new ArrayList<>();
        for (Contest contest : Rounds.of(rounds, contests)) {
            database.checkpoint();
            double perSecond = crowd.run(
                            Workload.ROWS, contest.contender, contest.increments, settings.millis("millis"))
                    .perSecond();
            turns.add(new Turn(contest.contender, contest.durability, perSecond));
            System.out.println(turns.get(turns.size() - 1));
        }
        return turns;
    }
}
