package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A PostgreSQL of our own, as safe as one in production, and the only witness whose word counts. */
final class Database implements AutoCloseable {

    private static final Duration SAMPLE = Duration.ofMillis(200);
    private static final int QUIET_SAMPLES = 5;
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final PostgresServer server;

    private Database(PostgresServer server) {
        this.server = server;
    }

    /** Starts it on a free port, with its files in the run's directory. */
    static Database start(Settings settings) throws IOException, InterruptedException {
        return new Database(PostgresServer.startNew(
                settings.postgres(), settings.directory().resolve("postgres")));
    }

    PostgresServer server() {
        return server;
    }

    /** It, as a result names it. */
    Map<String, String> servers() throws SQLException {
        return Map.of("postgres", server.version());
    }

    /** The views of a page: zero if nobody ever counted one. */
    long counter(Endpoint endpoint, String page) throws SQLException {
        long views = 0;
        for (String table : tables(endpoint)) {
            String sql = "select " + endpoint.column + " from " + table + " where name = ?";
            views += server.query(sql, row -> row.getLong(1), page).stream()
                    .findFirst()
                    .orElse(0L);
        }
        return views;
    }

    /** An application can have a schema of its own. */
    private List<String> tables(Endpoint endpoint) throws SQLException {
        return server.query(
                "select format('%I.%I', schemaname, tablename) from pg_tables where tablename = ?",
                row -> row.getString(1), endpoint.table);
    }

    /**
     * Waits until the server is done with requests that no client waits for any more: no transaction is open and no counter
     * moves for a second on end.
     */
    void awaitIdle() throws SQLException, InterruptedException {
        long giveUpAt = System.nanoTime() + LONGEST_WAIT.toNanos();
        List<Long> seen = List.of();
        for (int quiet = 0; quiet < QUIET_SAMPLES; ) {
            List<Long> now = new ArrayList<>();
            for (Endpoint endpoint : Endpoint.values()) {
                for (String table : tables(endpoint)) {
                    now.add(server.number("select coalesce(sum(" + endpoint.column + "), 0) from " + table));
                }
            }
            quiet = now.equals(seen) && server.openTransactions() == 0 ? quiet + 1 : 0;
            seen = now;
            if (System.nanoTime() - giveUpAt > 0) {
                throw new IllegalStateException(
                        "The server was still at work " + LONGEST_WAIT + " after the last request");
            }
            Waiting.sleep(SAMPLE);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
