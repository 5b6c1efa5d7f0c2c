package dev.fbf.loadtest.bench.guard;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.fbf.loadtest.bench.Increments;
import dev.fbf.loadtest.bench.guard.Services.RedisCounters;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.redis.RedisServer;
import dev.fbf.loadtest.harness.sql.SqlServer;
import dev.fbf.spring.transaction.FbfAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
class BenchDatabase implements AutoCloseable {

    /** Enough for what the benchmarks do, so that the filters need not grow while they run. */
    private static final int OPERATIONS_PER_SECOND = 10_000;

    private final SqlServer server;
    private final int counters;
    private final Collection<GuardContender> contenders;
    private final HikariDataSource pool;
    private final Optional<RedisServer> redis;
    private final List<ConfigurableApplicationContext> applications = new ArrayList<>();
    private final Map<Long, Duration> processorTimes = new LinkedHashMap<>();

    BenchDatabase(
            SqlServer server,
            int connections,
            int counters,
            Collection<GuardContender> contenders,
            Optional<RedisServer> redis) {
        this.server = server;
        this.counters = counters;
        this.redis = redis;
        this.contenders = contenders;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.url());
        config.setUsername(server.user());
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
        for (GuardContender contender : contenders) {
            server.execute("CREATE TABLE " + contender.counters()
                    + " (id integer PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 50);"
                    + " INSERT INTO " + contender.counters() + " SELECT id, 0 FROM generate_series(0, " + (counters - 1)
                    + ") id; " + contender.makeKeys());
        }
        Optional<RedisServer> started = contenders.stream().noneMatch(GuardContender::countsInRedis)
                ? Optional.empty()
                : RedisServer.start("bench.guard.redis", redis, directory.resolve("redis"), connections);
        return new BenchDatabase(server, connections, counters, contenders, started);
    }

    final SqlServer server() {
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
        servers.put("database", server.version());
        redis.ifPresent(shared -> servers.put("redis", shared.version()));
        return servers;
    }

    /** From here on, {@link #tidy} alone vacuums what is measured. */
    void stopAutovacuum() throws SQLException {
        for (GuardContender contender : contenders) {
            for (String table : contender.tables()) {
                server.execute("ALTER TABLE " + table + " SET (autovacuum_enabled = off)");
            }
        }
    }

    /** Does what the server would sooner or later do for turns before: the contender does not pay for it. */
    void tidy(GuardContender contender) throws SQLException {
        for (String table : contender.tables()) {
            server.execute("VACUUM (ANALYZE) " + table);
        }
        server.execute("CHECKPOINT");
    }

    /**
     * What the servers of a contender have done since they were started: {@code serverMicros} of processor time, zero where the operating
     * system does not tell; {@code transactions} that wrote something; {@code walBytes} of the write-ahead log, or of Redis's log; {@code
     * tableBytes}, the size of the contender's tables and their indexes, or of Redis's memory.
     */
    Map<String, Double> costs(GuardContender contender) throws SQLException {
        Map<String, Double> costs = new LinkedHashMap<>();
        Duration processorTime = processorTime();
        if (contender.countsInRedis()) {
            RedisServer shared = redis.orElseThrow();
            costs.put("serverMicros", processorTime.plus(shared.processorTime()).toNanos() / 1e3);
            costs.put("transactions", 0.0);
            costs.put("walBytes", (double) shared.logBytes());
            costs.put("tableBytes", (double) shared.memoryBytes());
            return costs;
        }
        long tableBytes = 0;
        for (String table : contender.tables()) {
            tableBytes += server.number("SELECT pg_total_relation_size('" + table + "')");
        }
        costs.put("serverMicros", processorTime.toNanos() / 1e3);
        costs.put("transactions", (double)
                server.number("SELECT CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint)"));
        costs.put("walBytes", (double) server.number("SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS bigint)"));
        costs.put("tableBytes", (double) tableBytes);
        return costs;
    }

    /** What they have done since then, for each of so many requests. */
    Map<String, Double> costsSince(Map<String, Double> before, GuardContender contender, double requests)
            throws SQLException {
        Map<String, Double> costs = costs(contender);
        costs.replaceAll((name, cost) -> (cost - Objects.requireNonNull(before.get(name))) / requests);
        return costs;
    }

    /** The processor time that the server's processes have used, ended ones as of an earlier call. */
    private Duration processorTime() throws SQLException {
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
