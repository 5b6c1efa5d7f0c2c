package dev.fbf.loadtest.bench.guard;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A PostgreSQL of our own, as safe as one in production, and the pool that all contenders share. */
final class BenchDatabase implements AutoCloseable {

    private final PostgresServer server;
    private final HikariDataSource pool;

    /** Beside the pool. */
    private final JdbcTemplate jdbc;

    private BenchDatabase(PostgresServer server, int connections) {
        this.server = server;
        jdbc = new JdbcTemplate(new DriverManagerDataSource(server.url(), PostgresServer.USER, ""));
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setUsername(PostgresServer.USER);
        config.setMaximumPoolSize(connections);
        pool = new HikariDataSource(config);
    }

    static BenchDatabase start(Path directory, int connections) throws IOException, InterruptedException {
        return new BenchDatabase(
                PostgresServer.startNew(directory.resolve("postgres-binaries"), directory.resolve("postgres")),
                connections);
    }

    HikariDataSource pool() {
        return pool;
    }

    /** The servers of a run, by name. */
    Map<String, String> servers(@Nullable RedisServer redis) throws SQLException {
        return redis == null
                ? Map.of("postgres", server.version())
                : Map.of("postgres", server.version(), "redis", redis.version());
    }

    static String update(GuardContender contender) {
        return "UPDATE " + contender.counters() + " SET value = value + 1 WHERE id = ?";
    }

    /** Makes the counters, all alike, and the table of the keys; fbf makes its own. */
    void createTables(int counters) {
        for (GuardContender contender : GuardContender.values()) {
            jdbc.execute("CREATE TABLE " + contender.counters()
                    + " (id integer PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 50)");
            jdbc.update(
                    "INSERT INTO " + contender.counters() + " SELECT id, 0 FROM generate_series(0, ? - 1) id",
                    counters);
            jdbc.execute("CREATE TABLE " + contender.keys() + " (key varchar(255) PRIMARY KEY)");
        }
    }

    /** From here on, {@link #tidy()} alone vacuums what is measured. */
    void stopAutovacuum() {
        for (GuardContender contender : GuardContender.values()) {
            contender
                    .tables()
                    .forEach(table -> jdbc.execute("ALTER TABLE " + table + " SET (autovacuum_enabled = off)"));
        }
    }

    /** Does what the server would sooner or later do for those who have just been measured: nobody else pays for it. */
    void tidy() {
        for (GuardContender contender : GuardContender.values()) {
            contender.tables().forEach(table -> jdbc.execute("VACUUM (ANALYZE) " + table));
        }
        jdbc.execute("CHECKPOINT");
    }

    void checkpoint() {
        jdbc.execute("CHECKPOINT");
    }

    /** How many the server has found so far, with a second's delay. */
    long deadlocks() {
        return number("SELECT CAST(sum(deadlocks) AS bigint) FROM pg_stat_database");
    }

    /** What the server has done so far, and what a contender takes up. */
    Costs costs(GuardContender contender) {
        long tableBytes = contender.tables().stream()
                .mapToLong(table -> number("SELECT pg_total_relation_size('" + table + "')"))
                .sum();
        return new Costs(
                number("SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint)"),
                number("SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS bigint)"),
                tableBytes);
    }

    private long number(String sql) {
        return Objects.requireNonNull(jdbc.queryForObject(sql, Long.class));
    }

    /** The processor time that the server's processes have used; zero where the operating system does not tell. */
    Duration processorTime() {
        List<Long> processes = jdbc.queryForList(
                "SELECT pid FROM pg_stat_activity WHERE backend_type <> 'autovacuum worker'", Long.class);
        return processes.stream()
                .flatMap(process -> ProcessHandle.of(process).stream())
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** The value of each counter. */
    List<Long> counters(GuardContender contender) {
        return jdbc.queryForList("SELECT value FROM " + contender.counters() + " ORDER BY id", Long.class);
    }

    @Override
    public void close() throws IOException {
        try {
            pool.close();
        } finally {
            server.close();
        }
    }
}
