package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Findings;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Runs all contenders in one run, round by round in turn, compares their medians, and draws them. Fails if counters that are
 * guarded are wrong.
 */
public final class GuardBench implements Run {

    /*
     * The machine's other work, and the server's, comes and goes: it meets all contenders alike when they take turns, and
     * each begins a round once. Before a turn everybody's tables are vacuumed and the server makes a checkpoint, so that
     * nobody pays for what another has done; after it the contender runs for a while unmeasured, so that it is not
     * measured while it writes each page in full for the first time. Processor time is what a busy machine distorts least.
     */
    @Override
    public Findings run(Settings settings) throws IOException, InterruptedException, ExecutionException, SQLException {
        int threads = settings.atLeastOne("threads");
        Path directory = settings.directory();
        Directories.delete(directory);
        try (BenchDatabase database = BenchDatabase.start(directory, threads);
                RedisServer redis = RedisServer.start(settings.text("redis"), directory.resolve("redis"), threads)
                        .orElse(null)) {
            GuardReport report = run(database, redis, directory, settings);
            GuardPlots.write(report, settings.results());
            return new Findings(
                    report, GuardTable.of(report), report.targets(), report.failures(), database.servers(redis));
        }
    }

    private static GuardReport run(
            BenchDatabase database, @Nullable RedisServer redis, Path directory, Settings settings)
            throws InterruptedException, ExecutionException {
        database.createTables(Workload.MOST_COUNTERS);
        List<Workload> workloads =
                settings.list("workloads").map(Workload::valueOf).toList();
        Map<GuardContender, Increments> increments = new EnumMap<>(GuardContender.class);
        List<BenchApplication> applications = new ArrayList<>();
        try (Crowd crowd =
                new Crowd(settings.atLeastOne("threads"), settings.flag("virtual"), Workload.MOST_COUNTERS)) {
            for (GuardContender contender : GuardContender.values()) {
                if (contender == GuardContender.REDIS && redis == null) {
                    continue;
                }
                BenchApplication application = BenchApplication.start(contender, database.pool(), redis, directory);
                applications.add(application);
                increments.put(contender, application.increments());
            }
            database.stopAutovacuum();
            Turns turns = new Turns(database, redis, crowd, increments);
            for (Workload workload : workloads) {
                turns.warmUp(workload, settings.millis("warmUpMillis"));
            }
            List<Turn> all = new ArrayList<>();
            Map<Workload, Map<GuardContender, Accuracy>> accuracies = new EnumMap<>(Workload.class);
            for (Workload workload : workloads) {
                all.addAll(turns.measure(workload, settings));
                accuracies.put(workload, turns.accuracies());
            }
            return GuardReport.of(all, accuracies);
        } finally {
            applications.forEach(BenchApplication::close);
        }
    }

    private record Turns(
            BenchDatabase database,
            @Nullable RedisServer redis,
            Crowd crowd,
            Map<GuardContender, Increments> increments) {

        /** All of it comes before anything is measured: else the first workload would meet code that the JVM is compiling. */
        void warmUp(Workload workload, Duration time) throws InterruptedException, ExecutionException {
            for (GuardContender contender : increments.keySet()) {
                run(workload, contender, time);
            }
        }

        List<Turn> measure(Workload workload, Settings settings) throws InterruptedException, ExecutionException {
            List<Turn> turns = new ArrayList<>();
            List<GuardContender> order = new ArrayList<>(increments.keySet());
            for (int round = 0; round < settings.atLeastOne("rounds"); round++) {
                for (GuardContender contender : order) {
                    database.tidy();
                    System.gc();
                    run(workload, contender, settings.millis("leadInMillis"));
                    turns.add(run(workload, contender, settings.millis("millis")));
                    System.out.println(turns.get(turns.size() - 1));
                }
                Collections.rotate(order, -1);
            }
            return turns;
        }

        private Turn run(Workload workload, GuardContender contender, Duration time)
                throws InterruptedException, ExecutionException {
            return crowd.run(
                    workload,
                    contender,
                    Objects.requireNonNull(increments.get(contender)),
                    time,
                    () -> processorTime(contender),
                    () -> database.costs(contender));
        }

        private Duration processorTime(GuardContender contender) {
            Duration time = database.processorTime();
            return contender == GuardContender.REDIS && redis != null ? time.plus(redis.processorTime()) : time;
        }

        /** Of each contender's counters so far. */
        Map<GuardContender, Accuracy> accuracies() {
            Map<GuardContender, Accuracy> accuracies = new EnumMap<>(GuardContender.class);
            for (GuardContender contender : increments.keySet()) {
                accuracies.put(contender, Accuracy.of(database.counters(contender), crowd.answered(contender)));
            }
            return accuracies;
        }
    }
}
