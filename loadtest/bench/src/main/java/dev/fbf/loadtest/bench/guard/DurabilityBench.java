package dev.fbf.loadtest.bench.guard;

import dev.fbf.core.guard.Durability;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Findings;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/**
 * Measures what {@code durability=host} costs beside {@code process}, in turn, what it writes, and how long a filter takes to
 * rebuild from its log. Fails if counters are wrong, or a rebuilt filter lacks an operation.
 */
public final class DurabilityBench implements Run {

    private static final int ROWS = 1_000;

    /** What takes turns. */
    private record Contest(
            GuardContender contender, Durability durability, BenchApplication application, Increments increments) {}

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
        try (BenchDatabase database = BenchDatabase.start(directory, threads);
                Crowd crowd = new Crowd(threads, false, ROWS)) {
            List<DurabilityReport.Turn> turns = turns(database, crowd, directory, rounds, settings);
            for (GuardContender contender : DurabilityReport.CONTENDERS) {
                if (!Accuracy.of(database.counters(contender), crowd.answered(contender))
                        .isExact()) {
                    failures.add(contender + ": its counters are not what its clients were told");
                }
            }
            DurabilityReport report = DurabilityReport.of(turns, writes, rebuild);
            return new Findings(report, report.table(), report.targets(), failures, database.servers(null));
        }
    }

    private static List<DurabilityReport.Turn> turns(
            BenchDatabase database, Crowd crowd, Path directory, int rounds, Settings settings)
            throws InterruptedException, ExecutionException {
        database.createTables(ROWS);
        List<Contest> contests = new ArrayList<>();
        try {
            for (GuardContender contender : DurabilityReport.CONTENDERS) {
                for (Durability durability : Durability.values()) {
                    contests.add(contest(contender, durability, database, directory));
                }
            }
            for (Contest contest : contests) {
                run(contest, database, crowd, settings.millis("warmUpMillis"));
            }
            List<DurabilityReport.Turn> turns = new ArrayList<>();
            List<Contest> order = new ArrayList<>(contests);
            for (int round = 0; round < rounds; round++) {
                for (Contest contest : order) {
                    database.checkpoint();
                    double perSecond = run(contest, database, crowd, settings.millis("millis"));
                    turns.add(new DurabilityReport.Turn(contest.contender, contest.durability, perSecond));
                    System.out.println(turns.get(turns.size() - 1));
                }
                Collections.rotate(order, -1);
            }
            return turns;
        } finally {
            contests.forEach(contest -> contest.application.close());
        }
    }

    private static Contest contest(
            GuardContender contender, Durability durability, BenchDatabase database, Path directory) {
        String name = durability.name().toLowerCase(Locale.ROOT);
        BenchApplication application = BenchApplication.start(
                contender, database.pool(), null, directory.resolve(name), Map.of("fbf.durability", name));
        return new Contest(contender, durability, application, application.increments());
    }

    private static double run(Contest contest, BenchDatabase database, Crowd crowd, Duration time)
            throws InterruptedException, ExecutionException {
        return crowd.run(
                        Workload.ROWS,
                        contest.contender,
                        contest.increments,
                        time,
                        database::processorTime,
                        () -> database.costs(contest.contender))
                .perSecond();
    }
}
