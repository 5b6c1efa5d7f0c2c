package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.postgres.PostgresEndpoint;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** An application that reaches PostgreSQL servers by one URL, and its clients. */
final class LoadedApp implements AutoCloseable {

    private static final Duration LONG = Duration.ofMinutes(3);
    private static final int COUNTERS = 4;
    private static final double GROUPED = 0.6;

    final History history = new History();
    private final String name;
    private final AppProcess app;
    private final Operations operations;
    private final Fleet fleet;

    private LoadedApp(String name, AppProcess app, Operations operations, Traffic traffic) {
        this.name = name;
        this.app = app;
        this.operations = operations;
        fleet = Fleet.start(traffic, operations, history, app.port());
    }

    /**
     * Makes the tables, and starts the application and its clients. The URL has the settings of docs/deployment.md, without TLS: an attempt
     * to connect to a silent server takes socketTimeout, not sslResponseTimeout.
     *
     * @param hosts where the application finds the database, as in {@code 127.0.0.1:1,127.0.0.1:2}
     * @param socketTimeout how many seconds it waits for a silent server
     * @param primary where its tables are made
     * @param rate operations that begin in a second
     */
    static LoadedApp start(
            Path directory, String mode, String hosts, int socketTimeout, PostgresEndpoint primary, int rate, long seed)
            throws IOException, InterruptedException, SQLException {
        String name = primary.database();
        Database database = new Database(primary);
        database.create(COUNTERS);
        AppProcess app = AppProcess.of(
                FixedPorts.free(),
                directory.resolve(name + ".log"),
                List.of("-Xmx256m"),
                "jdbc:postgresql://" + hosts + "/" + name
                        + "?targetServerType=primary&hostRecheckSeconds=1&sslmode=disable&connectTimeout=1&loginTimeout=10&socketTimeout="
                        + socketTimeout,
                directory.resolve(name),
                List.of(
                        "--fbf.mode=" + mode,
                        "--spring.datasource.hikari.connection-timeout=1000",
                        "--spring.datasource.hikari.validation-timeout=500"));
        try {
            app.start();
            database.watchCounters();
            Traffic traffic = new Traffic(8, rate, Duration.ofSeconds(6), Duration.ofMinutes(10), 64);
            return new LoadedApp(name, app, new Operations(seed, COUNTERS, GROUPED), traffic);
        } catch (Throwable e) {
            app.close();
            throw e;
        }
    }

    /** Waits until so many more operations are acknowledged, and does something again and again meanwhile. */
    void awaitMore(int more, Runnable meanwhile) throws InterruptedException {
        long wanted = fleet.acknowledged() + more;
        boolean isDone = Waiting.until(
                () -> {
                    meanwhile.run();
                    return fleet.acknowledged() >= wanted;
                },
                LONG);
        if (!isDone) {
            throw new IllegalStateException(name + " acknowledges no more operations: see " + app.log());
        }
    }

    /** Ends the clients when all that they have begun is acknowledged, and compares that with the database. */
    Verdict finish(int primary) throws InterruptedException, SQLException {
        fleet.finish(LONG);
        Verdict verdict = new Verdict(operations, history);
        new Database(new PostgresEndpoint(primary, name)).read(verdict);
        return verdict;
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public void close() {
        app.close();
    }
}
