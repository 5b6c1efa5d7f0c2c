package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.BenchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Runs all contenders in one run, round by round in turn, and prints the ratios of their medians. */
public final class GuardBench {

    /*
     * The machine's other work, and the server's, comes and goes: it meets all contenders alike when they take turns, and
     * each begins a round once. Before a turn everybody's tables are vacuumed and the server makes a checkpoint, so that
     * nobody pays for what another has done; after it the contender runs for a while unmeasured, so that it is not
     * measured while it writes each page in full for the first time. Processor time is what a busy machine distorts least.
     */
    private static final int THREADS = Integer.getInteger("bench.guard.threads", 16);
    private static final boolean VIRTUAL = Boolean.getBoolean("bench.guard.virtual");
    private static final List<Workload> WORKLOADS = Arrays.stream(System.getProperty(
                            "bench.guard.workloads",
                            Arrays.stream(Workload.values()).map(Enum::name).collect(Collectors.joining(",")))
                    .split(","))
            .map(Workload::valueOf)
            .toList();
    private static final int ROUNDS = Integer.getInteger("bench.guard.rounds", 3);
    private static final String REDIS = System.getProperty("bench.guard.redis", "redis-server");
    private static final Duration WARM_UP = Duration.ofMillis(Integer.getInteger("bench.guard.warmUpMillis", 2_000));
    private static final Duration LEAD_IN = Duration.ofMillis(Integer.getInteger("bench.guard.leadInMillis", 1_000));
    private static final Duration TURN = Duration.ofMillis(Integer.getInteger("bench.guard.millis", 1_500));

    private final BenchDatabase database;
    private final @Nullable RedisServer redis;
    private final Crowd crowd;
    private final Map<GuardContender, Increments> increments;

    private GuardBench(
            BenchDatabase database,
            @Nullable RedisServer redis,
            Crowd crowd,
            Map<GuardContender, Increments> increments) {
        this.database = database;
        this.redis = redis;
        this.crowd = crowd;
        this.increments = increments;
    }

    /** Measures, writes the JSON and its plots, prints the table, and fails last if counters that are guarded are wrong. */
    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        GuardReport report;
        try (BenchDirectory directory = BenchDirectory.create();
                BenchDatabase database = BenchDatabase.start(directory.path(), THREADS);
                RedisServer redis = RedisServer.start(REDIS, directory.path().resolve("redis"), THREADS)
                        .orElse(null)) {
            report = run(database, redis, directory.path());
        }
        Path json = Path.of(System.getProperty("bench.guard.result", "target/results/guard.json"));
        Files.createDirectories(json.toAbsolutePath().getParent());
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        GuardPlots.write(json);
        System.out.print(GuardTable.of(report));
        if (!report.wrong().isEmpty()) {
            throw new IllegalStateException(
                    "contenders=" + report.wrong() + ": their counters are not what was answered");
        }
    }

    private static GuardReport run(BenchDatabase database, @Nullable RedisServer redis, Path directory)
            throws InterruptedException, ExecutionException {
        database.createTables(Workload.MOST_COUNTERS);
        Map<GuardContender, Increments> increments = new EnumMap<>(GuardContender.class);
        List<BenchApplication> applications = new ArrayList<>();
        try (Crowd crowd = new Crowd(THREADS, VIRTUAL, Workload.MOST_COUNTERS)) {
            for (GuardContender contender : GuardContender.values()) {
                if (contender == GuardContender.REDIS && redis == null) {
                    continue;
                }
                BenchApplication application = BenchApplication.start(contender, database.pool(), redis, directory);
                applications.add(application);
                increments.put(contender, application.increments());
            }
            database.stopAutovacuum();
            GuardBench bench = new GuardBench(database, redis, crowd, increments);
            List<Turn> turns = new ArrayList<>();
            Map<Workload, Map<GuardContender, Accuracy>> accuracies = new EnumMap<>(Workload.class);
            for (Workload workload : WORKLOADS) {
                bench.warmUp(workload);
            }
            for (Workload workload : WORKLOADS) {
                turns.addAll(bench.measure(workload));
                accuracies.put(workload, bench.accuracies());
            }
            return GuardReport.of(Environment.of(database, redis, VIRTUAL), THREADS, ROUNDS, turns, accuracies);
        } finally {
            applications.forEach(BenchApplication::close);
        }
    }

    /** All of it comes before anything is measured: else the first workload would meet code that the JVM is compiling. */
    private void warmUp(Workload workload) throws InterruptedException, ExecutionException {
        for (GuardContender contender : increments.keySet()) {
            run(workload, contender, WARM_UP);
        }
    }

    private List<Turn> measure(Workload workload) throws InterruptedException, ExecutionException {
        List<Turn> turns = new ArrayList<>();
        List<GuardContender> order = new ArrayList<>(increments.keySet());
        for (int round = 0; round < ROUNDS; round++) {
            for (GuardContender contender : order) {
                database.tidy();
                System.gc();
                run(workload, contender, LEAD_IN);
                turns.add(run(workload, contender, TURN));
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
    private Map<GuardContender, Accuracy> accuracies() {
        Map<GuardContender, Accuracy> accuracies = new EnumMap<>(GuardContender.class);
        for (GuardContender contender : increments.keySet()) {
            accuracies.put(contender, Accuracy.of(database.counters(contender), crowd.answered(contender)));
        }
        return accuracies;
    }
}
