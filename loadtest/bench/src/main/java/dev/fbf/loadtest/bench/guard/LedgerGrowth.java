package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.bench.Summary;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.process.Directories;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Measures what operations, their retries, the purge and a start cost as the ledger grows. Two nodes share the ledger. Fails if a counter
 * is not what its clients were told.
 */
public final class LedgerGrowth implements Run {

    static final List<GuardContender> CONTENDERS = List.of(GuardContender.LEDGER, GuardContender.COUNTERS_LEDGER);
    private static final int NODES = 2;
    private static final int COUNTERS = 1_000;
    private static final String LEDGER = GuardContender.LEDGER.tables().get(1);

    private static final String INSERT = "insert";
    private static final String RETRY = "retry, same node";
    private static final String RETRY_ELSEWHERE = "retry, other node";
    private static final String PURGE = "purge";
    static final String START = "start";

    /** Longer than any run takes, and due at once, in seconds. */
    private static final int KEPT = 30 * 24 * 3_600;

    private static final int EXPIRED = 1;

    private static final Duration PURGED = Duration.ofMinutes(15);

    private static final double MOST_OF_RETRY = 0.6;

    private final List<Turn> turns = new ArrayList<>();
    private final Map<GuardContender, Long> applied = new EnumMap<>(GuardContender.class);
    private long rows;

    private interface Work {
        void run() throws Exception;
    }

    /** The median of the turns for each size of the ledger, contender and kind of work. */
    record Report(List<Turn> turns, List<Size> sizes) {

        record Size(long rows, List<Summary> summaries) {}

        static Report of(List<Turn> turns) {
            List<Size> sizes = turns.stream()
                    .map(Turn::series)
                    .distinct()
                    .map(size -> new Size(
                            Long.parseLong(size),
                            Summary.of(turns.stream()
                                    .filter(turn -> turn.series().equals(size))
                                    .toList())))
                    .toList();
            return new Report(turns, sizes);
        }

        /** A retry at another node is to cost the server less than a new operation does. */
        List<Target> targets() {
            Size largest = sizes.get(sizes.size() - 1);
            return List.of(Target.atMost(
                    format("%,d rows: server's processor time of a retry at another node over an insert", largest.rows),
                    MOST_OF_RETRY,
                    serverMicros(largest, RETRY_ELSEWHERE) / serverMicros(largest, INSERT)));
        }

        private static double serverMicros(Size size, String work) {
            return size.summaries.stream()
                    .filter(summary -> summary.contender() == GuardContender.LEDGER
                            && summary.label().equals(work))
                    .findFirst()
                    .orElseThrow()
                    .get("serverMicros");
        }

        String table() {
            StringBuilder text = new StringBuilder();
            for (Size size : sizes) {
                text.append(format(
                        "%n  %,d rows in the ledger; per operation, purged row or start%n%s",
                        size.rows, Summary.table(size.summaries)));
            }
            return text.toString();
        }
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        Path directory = settings.directory();
        Directories.delete(directory);
        int connections = settings.atLeastOne("threads") + NODES * CONTENDERS.size();
        List<String> failures = new ArrayList<>();
        try (BenchDatabase database =
                BenchDatabase.start(settings.postgres(), directory, connections, COUNTERS, CONTENDERS, "")) {
            start(database, directory.resolve("warm-up"));
            database.stopApplications();
            turns.clear();
            for (long size : settings.list("rows").map(Long::valueOf).toList()) {
                fill(database, size, settings.atLeastOne("expired"));
                measure(database, settings);
            }
            for (GuardContender contender : CONTENDERS) {
                long counted = database.counters(contender).stream()
                        .mapToLong(Long::longValue)
                        .sum();
                long sent = applied.getOrDefault(contender, 0L);
                if (counted != sent) {
                    failures.add(format("%s: %d operations were counted, and %d sent", contender, counted, sent));
                }
            }
            Report report = Report.of(turns);
            Plots.draw(report, settings.results());
            return new Findings(report, report.table(), report.targets(), failures, database.servers());
        }
    }

    /** Adds expired rows, and other rows up to a size. */
    private void fill(BenchDatabase database, long size, int expired) throws SQLException {
        insert(database, size - rows, KEPT);
        rows = size;
        insert(database, expired, EXPIRED);
        database.server().execute("VACUUM (ANALYZE) " + LEDGER);
        database.checkpoint();
    }

    private static void insert(BenchDatabase database, long count, int retention) throws SQLException {
        database.server()
                .execute("INSERT INTO " + LEDGER + " SELECT gen_random_uuid(), pg_current_xact_id(), " + retention
                        + " FROM generate_series(1, " + count + ")");
    }

    private void measure(BenchDatabase database, Settings settings) throws Exception {
        long deleted = deleted(database);
        List<Map<GuardContender, Increments>> nodes = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            nodes.add(start(database, settings.directory().resolve("node-" + node + "-beside-" + rows)));
        }
        int expired = settings.atLeastOne("expired");
        add(PURGE, GuardContender.LEDGER, cost(database, expired, () -> await(database, deleted + expired)));
        ForkJoinPool clients = new ForkJoinPool(settings.atLeastOne("threads"));
        try {
            for (int round = 0; round <= settings.atLeastOne("rounds"); round++) {
                for (GuardContender contender : CONTENDERS) {
                    List<String> keys = Stream.generate(() -> UUID.randomUUID().toString())
                            .limit(settings.atLeastOne("operations"))
                            .toList();
                    Map<String, Double> insert = send(database, clients, nodes.get(0), contender, keys);
                    Map<String, Double> retry = send(database, clients, nodes.get(0), contender, keys);
                    Map<String, Double> elsewhere = send(database, clients, nodes.get(1), contender, keys);
                    applied.merge(contender, (long) keys.size(), Long::sum);
                    if (round > 0) {
                        add(INSERT, contender, insert);
                        add(RETRY, contender, retry);
                        add(RETRY_ELSEWHERE, contender, elsewhere);
                    }
                }
            }
        } finally {
            clients.shutdown();
        }
        rows = database.server().number("SELECT count(*) FROM " + LEDGER);
        database.stopApplications();
    }

    private void add(String work, GuardContender contender, Map<String, Double> figures) {
        turns.add(new Turn(Long.toString(rows), work, contender, figures));
        System.out.println(turns.get(turns.size() - 1));
    }

    /** Starts a node: the applications of both contenders, in one ledger. */
    private Map<GuardContender, Increments> start(BenchDatabase database, Path directory) throws Exception {
        Map<GuardContender, Increments> node = new EnumMap<>(GuardContender.class);
        Map<String, Object> schema = Map.of("fbf.schema.name", LEDGER.substring(0, LEDGER.indexOf('.')));
        for (GuardContender contender : CONTENDERS) {
            add(
                    START,
                    contender,
                    cost(database, 1, () -> node.put(contender, database.application(contender, directory, schema))));
        }
        return node;
    }

    private static Map<String, Double> send(
            BenchDatabase database,
            ForkJoinPool clients,
            Map<GuardContender, Increments> node,
            GuardContender contender,
            List<String> keys)
            throws Exception {
        Increments increments = Objects.requireNonNull(node.get(contender));
        return cost(
                database,
                keys.size(),
                () -> clients.submit(() -> keys.parallelStream()
                                .forEach(key -> increments.increment(Math.floorMod(key.hashCode(), COUNTERS), key)))
                        .get());
    }

    /** Times a work, and counts what the server does for it. */
    private static Map<String, Double> cost(BenchDatabase database, int count, Work work) throws Exception {
        long log = database.walBytes();
        Duration processor = database.processorTime();
        long begin = System.nanoTime();
        work.run();
        double seconds = (System.nanoTime() - begin) / 1e9;
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("perSecond", count / seconds);
        figures.put("serverMicros", database.processorTime().minus(processor).toNanos() / 1e3 / count);
        figures.put("walBytes", (double) (database.walBytes() - log) / count);
        return figures;
    }

    private static long deleted(BenchDatabase database) throws SQLException {
        return database.server().number("SELECT pg_stat_get_tuples_deleted('" + LEDGER + "'::regclass)");
    }

    private static void await(BenchDatabase database, long deleted) throws SQLException, InterruptedException {
        long begin = System.nanoTime();
        while (deleted(database) < deleted) {
            if (System.nanoTime() - begin > PURGED.toNanos()) {
                throw new IllegalStateException("The expired rows are not purged within " + PURGED);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
