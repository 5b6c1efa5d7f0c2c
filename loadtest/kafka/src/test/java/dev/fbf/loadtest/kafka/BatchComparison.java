package dev.fbf.loadtest.kafka;

import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Compares, without a broker, what two consumer threads apply per second: with fbf, and with a table of keys written by hand.
 */
final class BatchComparison {

    private static final int THREADS = 2;
    private static final int ROWS = 1_000;

    private final AtomicLong next = new AtomicLong();
    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;
    private final IdempotentScope scope;

    /** Not found by the scan of {@link RecordsApp}. */
    @EnableAutoConfiguration(exclude = KafkaAutoConfiguration.class)
    static class App {}

    /** A way to apply a batch, whose items are new numbers. */
    private interface Way {
        void apply(List<Long> items);
    }

    private BatchComparison(ConfigurableApplicationContext app) {
        jdbc = app.getBean(JdbcClient.class);
        transaction = app.getBean(TransactionTemplate.class);
        scope = app.getBean(IdempotentOperations.class)
                .scope("records-" + app.getEnvironment().getProperty("fbf.mode"));
        scope.execute(IdempotencyKey.of("first"), () -> {}); // opens the scope, outside of a transaction
    }

    /** Arguments: seconds per measurement, rounds. */
    public static void main(String[] arguments) throws Exception {
        double seconds = Double.parseDouble(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        Path root = Path.of("target", "comparison");
        try (PostgresServer postgres =
                PostgresServer.startNew(Path.of("..", "target", "postgres"), root.resolve("server"))) {
            compare(postgres.url(), root.resolve("filter").toAbsolutePath(), seconds, rounds);
        }
    }

    private static void compare(String url, Path directory, double seconds, int rounds) throws Exception {
        Directories.delete(directory);
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(url);
            pool.setUsername("postgres");
            JdbcClient jdbc = JdbcClient.create(pool);
            jdbc.sql(
                            "DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE seen (key text PRIMARY KEY, at timestamptz NOT NULL"
                                    + " DEFAULT now()); CREATE TABLE counted (id bigint PRIMARY KEY, times bigint NOT NULL);"
                                    + " INSERT INTO counted SELECT id, 0 FROM generate_series(0, " + (ROWS - 1)
                                    + ") AS id")
                    .update();
        }
        try (ConfigurableApplicationContext ledger = start(url, "fbf.mode=ledger");
                ConfigurableApplicationContext filter = start(
                        url,
                        "fbf.mode=filter",
                        "fbf.directory=" + directory,
                        "fbf.expected-operations-per-second=20000")) {
            BatchComparison withLedger = new BatchComparison(ledger);
            BatchComparison withFilter = new BatchComparison(filter);
            Map<String, Way> ways = new LinkedHashMap<>();
            ways.put("500, UPDATE per record: table of keys", withLedger::perRecordByHand);
            ways.put("500, UPDATE per record: table of keys, one INSERT", withLedger::oneInsertByHand);
            ways.put("500, UPDATE per record: ledger, execute", withLedger::each);
            ways.put("500, UPDATE per record: ledger", items -> withLedger.all(items, withLedger::updateEach));
            ways.put("500, UPDATE per record: filter", items -> withFilter.all(items, withFilter::updateEach));
            ways.put("500, one UPDATE: table of keys, one INSERT", withLedger::setsByHand);
            ways.put("500, one UPDATE: ledger", items -> withLedger.all(items, withLedger::updateAll));
            ways.put("500, one UPDATE: filter", items -> withFilter.all(items, withFilter::updateAll));
            ways.put("1: table of keys", withLedger::perRecordByHand);
            ways.put("1: ledger", withLedger::single);
            ways.put("1: filter", withFilter::single);
            ways.put("1: ledger, executeAll", items -> withLedger.all(items, withLedger::updateEach));
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            for (int round = -1; round < rounds; round++) {
                for (Map.Entry<String, Way> way : ways.entrySet()) {
                    int batch = way.getKey().startsWith("500") ? 500 : 1;
                    BatchComparison its = way.getKey().contains("filter") ? withFilter : withLedger;
                    double rate = its.rate(way.getValue(), batch, round < 0 ? seconds / 2 : seconds);
                    if (round >= 0) {
                        rates.computeIfAbsent(way.getKey(), name -> new ArrayList<>())
                                .add(rate);
                    }
                }
            }
            rates.forEach((name, all) -> {
                List<Double> sorted = all.stream().sorted().toList();
                System.out.printf(
                        "%8.0f/s (%.0f to %.0f)  %s%n",
                        sorted.get(sorted.size() / 2), sorted.get(0), sorted.get(sorted.size() - 1), name);
            });
        }
    }

    private static ConfigurableApplicationContext start(String url, String... settings) {
        List<String> all = new ArrayList<>(List.of(
                "--spring.datasource.url=" + url,
                "--spring.datasource.username=postgres",
                "--spring.main.banner-mode=off"));
        for (String setting : settings) {
            all.add("--" + setting);
        }
        return new SpringApplicationBuilder(App.class).run(all.toArray(String[]::new));
    }

    private double rate(Way way, int batch, double seconds) {
        next.updateAndGet(last -> last + ROWS - last % ROWS); // each batch has ascending rows: no deadlocks
        long begin = System.nanoTime();
        long end = begin + (long) (seconds * 1e9);
        List<CompletableFuture<Long>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(CompletableFuture.supplyAsync(() -> {
                long applied = 0;
                while (System.nanoTime() < end) {
                    long first = next.getAndAdd(batch);
                    way.apply(LongStream.range(first, first + batch).boxed().toList());
                    applied += batch;
                }
                return applied;
            }));
        }
        long applied = threads.stream().mapToLong(CompletableFuture::join).sum();
        return applied / ((System.nanoTime() - begin) / 1e9);
    }

    private void perRecordByHand(List<Long> items) {
        transaction.executeWithoutResult(status -> items.forEach(item -> {
            if (jdbc.sql("INSERT INTO seen (key) VALUES (?) ON CONFLICT DO NOTHING")
                            .param(name(item))
                            .update()
                    == 1) {
                updateEach(List.of(item));
            }
        }));
    }

    private void oneInsertByHand(List<Long> items) {
        transaction.executeWithoutResult(status -> updateEach(insertAll(items)));
    }

    private void setsByHand(List<Long> items) {
        transaction.executeWithoutResult(status -> updateAll(insertAll(items)));
    }

    private List<Long> insertAll(List<Long> items) {
        return jdbc
                .sql("INSERT INTO seen (key) SELECT unnest(?::text[]) ON CONFLICT DO NOTHING RETURNING key")
                .param(items.stream().map(BatchComparison::name).toArray(String[]::new))
                .query(String.class)
                .list()
                .stream()
                .map(key -> Long.valueOf(key.substring("payments/0/".length())))
                .toList();
    }

    private void each(List<Long> items) {
        transaction.executeWithoutResult(status ->
                items.forEach(item -> scope.execute(key(item), () -> updateEach(List.of(item)))));
    }

    private void single(List<Long> items) {
        items.forEach(item -> scope.execute(key(item), () -> updateEach(List.of(item))));
    }

    private void all(List<Long> items, IdempotentScope.BatchWork<Long, RuntimeException> work) {
        scope.executeAll(items, BatchComparison::key, work);
    }

    private void updateEach(List<Long> items) {
        items.stream()
                .sorted((a, b) -> Long.compare(a % ROWS, b % ROWS))
                .forEach(item -> jdbc.sql("UPDATE counted SET times = times + 1 WHERE id = ?")
                        .param(item % ROWS)
                        .update());
    }

    private void updateAll(List<Long> items) {
        jdbc.sql("UPDATE counted SET times = times + 1 WHERE id = ANY (?)")
                .param(items.stream().map(item -> item % ROWS).sorted().toArray(Long[]::new))
                .update();
    }

    private static String name(long item) {
        return "payments/0/" + item;
    }

    private static IdempotencyKey key(long item) {
        return IdempotencyKey.of(name(item));
    }
}
