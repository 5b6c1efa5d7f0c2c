package dev.fbf.loadtest.bench.guard;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.bench.guard.Services.RedisCounters;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.redis.RedisServer;
import dev.fbf.spring.jdbc.FbfAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;

/** A PostgreSQL of our own, as safe as one in production, the pool that all contenders share, and their applications. */
final class BenchDatabase implements AutoCloseable {

    /** Enough for what the benchmarks do, so that the filters need not grow while they run. */
    private static final int OPERATIONS_PER_SECOND = 10_000;

    private static final int ROUND_TRIPS = 500;

    private final PostgresServer server;
    private final int counters;
    private final Collection<GuardContender> contenders;
    private final HikariDataSource pool;
    private final Optional<RedisServer> redis;
    private final List<ConfigurableApplicationContext> applications = new ArrayList<>();
    private final Map<Long, Duration> processorTimes = new LinkedHashMap<>();

    private BenchDatabase(
            PostgresServer server,
            String url,
            int connections,
            int counters,
            Collection<GuardContender> contenders,
            Optional<RedisServer> redis) {
        this.server = server;
        this.counters = counters;
        this.redis = redis;
        this.contenders = contenders;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(PostgresServer.USER);
        config.setMaximumPoolSize(connections);
        pool = new HikariDataSource(config);
    }

    /**
     * Makes the counters too, all alike, and the tables of the keys; fbf makes its own.
     *
     * @param redis the program of the Redis server, which is started if a contender needs it and closed with this
     */
    static BenchDatabase start(
            Path home,
            Path directory,
            int connections,
            int counters,
            Collection<GuardContender> contenders,
            String redis)
            throws IOException, InterruptedException, SQLException {
        PostgresServer server = PostgresServer.startNew(home, directory.resolve("postgres"));
        Optional<RedisServer> started = contenders.stream().noneMatch(GuardContender::countsInRedis)
                ? Optional.empty()
                : RedisServer.start("bench.guard.redis", redis, directory.resolve("redis"), connections);
        return on(server, server.url(), connections, counters, contenders, started);
    }

    /**
     * Makes the tables of some contenders on a server that runs, which is closed with this.
     *
     * @param url where the contenders find the server, at a proxy or at its own port
     */
    static BenchDatabase on(
            PostgresServer server,
            String url,
            int connections,
            int counters,
            Collection<GuardContender> contenders,
            Optional<RedisServer> redis)
            throws SQLException {
        for (GuardContender contender : contenders) {
            server.execute("CREATE TABLE " + contender.counters()
                    + " (id integer PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 50);"
                    + " INSERT INTO " + contender.counters() + " SELECT id, 0 FROM generate_series(0, " + (counters - 1)
                    + ") id; " + contender.makeKeys());
        }
        return new BenchDatabase(server, url, connections, counters, contenders, redis);
    }

    PostgresServer server() {
        return server;
    }

    HikariDataSource pool() {
        return pool;
    }

    /**
     * Starts a contender's application, which ends with the database.
     *
     * @return how it adds to the counters
     */
    Increments application(GuardContender contender, Path directory, Map<String, Object> properties) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Auto.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "fbf.directory=" + directory.resolve(contender.name()),
                        "fbf.expected-operations-per-second=" + OPERATIONS_PER_SECOND)
                .properties(contender.properties())
                .properties(properties)
                .initializers(made -> register((GenericApplicationContext) made, contender))
                .run();
        applications.add(context);
        return contender.increments(context);
    }

    private void register(GenericApplicationContext context, GuardContender contender) {
        FbfAutoConfiguration.leaveUnregistered(context); // the next application of a contender has another directory
        context.registerBean("pool", DataSource.class, () -> pool, BenchDatabase::leaveOpen);
        redis.ifPresent(
                shared -> context.registerBean("redis", RedisServer.class, () -> shared, BenchDatabase::leaveOpen));
        context.registerBean(GuardContender.class, () -> contender);
        context.registerBean(contender.bean());
    }

    private static void leaveOpen(BeanDefinition shared) {
        shared.setDestroyMethodName("");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Auto {}

    /** The servers of a run, by name. */
    Map<String, String> servers() throws SQLException {
        Map<String, String> servers = new LinkedHashMap<>();
        servers.put("postgres", server.version());
        redis.ifPresent(shared -> servers.put("redis", shared.version()));
        return servers;
    }

    /** From here on, {@link #tidy()} alone vacuums what is measured. */
    void stopAutovacuum() throws SQLException {
        for (GuardContender contender : contenders) {
            for (String table : contender.tables()) {
                server.execute("ALTER TABLE " + table + " SET (autovacuum_enabled = off)");
            }
        }
    }

    /** Does what the server would sooner or later do for those who have just been measured: nobody else pays for it. */
    void tidy() throws SQLException {
        for (GuardContender contender : contenders) {
            vacuum(contender);
        }
        checkpoint();
    }

    void vacuum(GuardContender contender) throws SQLException {
        for (String table : contender.tables()) {
            server.execute("VACUUM (ANALYZE) " + table);
        }
    }

    void checkpoint() throws SQLException {
        server.execute("CHECKPOINT");
    }

    /**
     * What the server of a contender has done since it was started.
     *
     * @param transactions that wrote something
     * @param walBytes of its write-ahead log, or of Redis's log
     * @param tableBytes size of a contender's tables and their indexes, or of Redis's memory
     */
    record Costs(long transactions, long walBytes, long tableBytes) {}

    Costs costs(GuardContender contender) throws SQLException {
        if (contender.countsInRedis()) {
            RedisServer shared = redis.orElseThrow();
            return new Costs(0, shared.logBytes(), shared.memoryBytes());
        }
        long tableBytes = 0;
        for (String table : contender.tables()) {
            tableBytes += server.number("SELECT pg_total_relation_size('" + table + "')");
        }
        return new Costs(
                server.number("SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint)"),
                walBytes(),
                tableBytes);
    }

    /** The bytes of the write-ahead log since the server was made. */
    long walBytes() throws SQLException {
        return server.number("SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS bigint)");
    }

    /** The processor time that the servers of a contender have used; zero where the operating system does not tell. */
    Duration processorTime(GuardContender contender) throws SQLException {
        return processorTime()
                .plus(contender.countsInRedis() ? redis.orElseThrow().processorTime() : Duration.ZERO);
    }

    /** The processor time that the server's processes have used, ended ones as of an earlier call; zero where the system does not tell. */
    Duration processorTime() throws SQLException {
        server.query(
                        "SELECT pid FROM pg_stat_activity WHERE backend_type <> 'autovacuum worker'",
                        row -> row.getLong(1))
                .forEach(process -> processorTimes.put(process, processorTime(process)));
        return processorTimes.values().stream().reduce(Duration.ZERO, Duration::plus);
    }

    /** The kernel tells nanoseconds of a process's main thread, and PostgreSQL's have no other; Java tells hundredths of a second. */
    private static Duration processorTime(long process) {
        try {
            String[] statistics = Files.readString(Path.of("/proc", Long.toString(process), "schedstat"))
                    .split(" ", 2);
            return Duration.ofNanos(Long.parseLong(statistics[0]));
        } catch (IOException endedOrNotTold) {
            return ProcessHandle.of(process)
                    .flatMap(handle -> handle.info().totalCpuDuration())
                    .orElse(Duration.ZERO);
        }
    }

    /** How long a statement takes that does nothing, in microseconds, on a connection as the contenders have. */
    List<Double> roundTripsMicros() throws SQLException {
        List<Double> micros = new ArrayList<>();
        try (Connection connection = pool.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT 1")) {
            for (int i = 0; i < ROUND_TRIPS; i++) {
                long begin = System.nanoTime();
                select.execute();
                micros.add((System.nanoTime() - begin) / 1e3);
            }
        }
        return micros;
    }

    /** Returns whether the servers that a contender needs are running. */
    boolean suffices(GuardContender contender) {
        return redis.isPresent() || !contender.countsInRedis();
    }

    /** The value of each counter. */
    List<Long> counters(GuardContender contender) throws SQLException {
        if (contender.countsInRedis()) {
            return RedisCounters.values(redis.orElseThrow(), counters);
        }
        return server.query("SELECT value FROM " + contender.counters() + " ORDER BY id", row -> row.getLong(1));
    }

    /** Ends the applications that were started. */
    void stopApplications() {
        applications.forEach(ConfigurableApplicationContext::close);
        applications.clear();
    }

    @Override
    public void close() throws IOException {
        stopApplications();
        pool.close();
        server.close();
        redis.ifPresent(RedisServer::close);
    }
}
