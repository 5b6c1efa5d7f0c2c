package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.BenchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
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
    private static final int COUNTERS = Integer.getInteger("bench.guard.counters", 1_000);
    private static final int ROUNDS = Integer.getInteger("bench.guard.rounds", 9);
    private static final Duration WARM_UP = Duration.ofMillis(Integer.getInteger("bench.guard.warmUpMillis", 10_000));
    private static final Duration LEAD_IN = Duration.ofMillis(Integer.getInteger("bench.guard.leadInMillis", 1_000));
    private static final Duration TURN = Duration.ofMillis(Integer.getInteger("bench.guard.millis", 5_000));

    private final BenchDatabase database;
    private final Crowd crowd;
    private final Map<GuardContender, Increments> increments;

    private GuardBench(BenchDatabase database, Crowd crowd, Map<GuardContender, Increments> increments) {
        this.database = database;
        this.crowd = crowd;
        this.increments = increments;
    }

    /** Measures, checks the counters, writes the JSON, and prints the table last. */
    public static void main(String[] args) throws IOException, InterruptedException, ExecutionException {
        GuardReport report;
        try (BenchDirectory directory = BenchDirectory.create();
                BenchDatabase database = BenchDatabase.start(directory.path(), THREADS)) {
            report = run(database, directory.path());
        }
        Path json = Path.of(System.getProperty("bench.guard.result", "target/results/guard.json"));
        Files.createDirectories(json.toAbsolutePath().getParent());
        Files.writeString(
                json,
                JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(report));
        System.out.print(report.table());
    }

    private static GuardReport run(BenchDatabase database, Path directory)
            throws InterruptedException, ExecutionException {
        database.createTables(COUNTERS);
        Map<GuardContender, Increments> increments = new EnumMap<>(GuardContender.class);
        List<BenchApplication> applications = new ArrayList<>();
        try (Crowd crowd = new Crowd(THREADS, COUNTERS)) {
            for (GuardContender contender : GuardContender.values()) {
                BenchApplication application = BenchApplication.start(contender, database.pool(), directory);
                applications.add(application);
                increments.put(contender, application.increments());
            }
            database.stopAutovacuum();
            GuardBench bench = new GuardBench(database, crowd, increments);
            List<Turn> turns = bench.measure();
            bench.requireExactCounters();
            String jdk = System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
            return GuardReport.of(jdk + ", " + database.version(), THREADS, COUNTERS, turns);
        } finally {
            applications.forEach(BenchApplication::close);
        }
    }

    private List<Turn> measure() throws InterruptedException, ExecutionException {
        for (GuardContender contender : GuardContender.values()) {
            run(contender, WARM_UP);
        }
        List<Turn> turns = new ArrayList<>();
        List<GuardContender> order = new ArrayList<>(List.of(GuardContender.values()));
        for (int round = 0; round < ROUNDS; round++) {
            for (GuardContender contender : order) {
                database.tidy();
                System.gc();
                run(contender, LEAD_IN);
                turns.add(run(contender, TURN));
                System.out.println(turns.get(turns.size() - 1));
            }
            Collections.rotate(order, -1);
        }
        return turns;
    }

    private Turn run(GuardContender contender, Duration time) throws InterruptedException, ExecutionException {
        return crowd.run(contender, Objects.requireNonNull(increments.get(contender)), time, database::processorTime);
    }

    private void requireExactCounters() {
        for (GuardContender contender : GuardContender.values()) {
            if (!database.counters(contender).equals(crowd.answered(contender))) {
                throw new IllegalStateException("contender=" + contender + ": its counters are not what was answered");
            }
        }
    }
}
