package dev.fbf.loadtest.bench.guard;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.loadtest.bench.Increments;
import dev.fbf.loadtest.bench.Report;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.process.Directories;
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
import org.jspecify.annotations.Nullable;

/**
 * Measures what operations, their retries and the purge cost as the ledger grows. Two nodes share the ledger. Fails if a counter is not
 * what its clients were told.
 */
public final class LedgerGrowth implements Run {

    /** As {@link Report#targets} reads it: a retry at another node is to cost the server less than a new operation does. */
    private static final String TARGETS =
            "retry, other node, 10,000,000 rows | LEDGER | insert, 10,000,000 rows: LEDGER | serverMicros | <=0.6";

    private static final List<GuardContender> CONTENDERS =
            List.of(GuardContender.LEDGER, GuardContender.COUNTERS_LEDGER);
    private static final int COUNTERS = 1_000;
    private static final String LEDGER = GuardContender.LEDGER.tables().get(1);

    /** Longer than any run takes, and due at once, in seconds. */
    private static final int KEPT = 30 * 24 * 3_600;

    private static final int EXPIRED = 1;

    private static final Duration PURGED = Duration.ofMinutes(15);

    private final List<Turn> turns = new ArrayList<>();
    private final Map<GuardContender, Long> applied = new EnumMap<>(GuardContender.class);
    private long rows;

    private interface Work {
        void run() throws Exception;
    }

    @Override
    public Findings run(Settings settings) throws Exception {
        Path directory = settings.directory();
        Directories.delete(directory);
        int connections = settings.atLeastOne("threads") + 2 * CONTENDERS.size();
        List<String> failures = new ArrayList<>();
        try (BenchDatabase database =
                BenchDatabase.start(settings.postgres(), directory, connections, COUNTERS, CONTENDERS, "")) {
            node(database, directory.resolve("first")); // makes the ledger
            database.stopApplications();
            for (long size : settings.list("rows").map(Long::valueOf).toList()) {
                insert(database, size - rows, KEPT);
                insert(database, settings.atLeastOne("expired"), EXPIRED);
                rows = size;
                database.tidy(GuardContender.LEDGER);
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
            return new Findings(report, report.table(), report.targets(TARGETS), failures, database.servers());
        }
    }

    private static void insert(BenchDatabase database, long count, int retention) throws SQLException {
        database.server()
                .execute("INSERT INTO " + LEDGER + " SELECT gen_random_uuid(), pg_current_xact_id(), " + retention
                        + " FROM generate_series(1, " + count + ")");
    }

    private void measure(BenchDatabase database, Settings settings) throws Exception {
        long deleted = deleted(database);
        int expired = settings.atLeastOne("expired");
        Map<GuardContender, Increments> node =
                node(database, settings.directory().resolve("node-beside-" + rows));
        Map<GuardContender, Increments> other =
                node(database, settings.directory().resolve("other-beside-" + rows));
        add("purge", GuardContender.LEDGER, costs(database, expired, () -> await(database, deleted + expired)));
        ForkJoinPool clients = new ForkJoinPool(settings.atLeastOne("threads"));
        try {
            for (int round = 0; round <= settings.atLeastOne("rounds"); round++) {
                for (GuardContender contender : CONTENDERS) {
                    List<String> keys = Stream.generate(() -> UUID.randomUUID().toString())
                            .limit(settings.atLeastOne("operations"))
                            .toList();
                    Map<String, Double> insert = send(database, clients, node.get(contender), keys);
                    Map<String, Double> retry = send(database, clients, node.get(contender), keys);
                    Map<String, Double> elsewhere = send(database, clients, other.get(contender), keys);
                    applied.merge(contender, (long) keys.size(), Long::sum);
                    if (round > 0) {
                        add("insert", contender, insert);
                        add("retry, same node", contender, retry);
                        add("retry, other node", contender, elsewhere);
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
        turns.add(new Turn(format("%s, %,d rows", work, rows), contender, figures));
        System.out.println(turns.get(turns.size() - 1));
    }

    /** Starts a node: the applications of both contenders, in one ledger. */
    private static Map<GuardContender, Increments> node(BenchDatabase database, Path directory) {
        Map<GuardContender, Increments> node = new EnumMap<>(GuardContender.class);
        Map<String, Object> schema = Map.of("fbf.schema.name", LEDGER.substring(0, LEDGER.indexOf('.')));
        CONTENDERS.forEach(contender -> node.put(contender, database.application(contender, directory, schema)));
        return node;
    }

    private static Map<String, Double> send(
            BenchDatabase database, ForkJoinPool clients, @Nullable Increments increments, List<String> keys)
            throws Exception {
        Increments its = Objects.requireNonNull(increments);
        return costs(
                database,
                keys.size(),
                () -> clients.submit(() -> keys.parallelStream()
                                .forEach(key -> its.increment(Math.floorMod(key.hashCode(), COUNTERS), key)))
                        .get());
    }

    /** Times a work, and counts what the server does for it. */
    private static Map<String, Double> costs(BenchDatabase database, int count, Work work) throws Exception {
        Map<String, Double> before = database.costs(GuardContender.LEDGER);
        long begin = System.nanoTime();
        work.run();
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("perSecond", count / ((System.nanoTime() - begin) / 1e9));
        figures.putAll(database.costsSince(before, GuardContender.LEDGER, count));
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
