package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A PostgreSQL of our own, as safe as one in production, and the only witness whose word counts. */
public final class Database implements AutoCloseable {

    private static final Duration SAMPLE = Duration.ofMillis(200);
    private static final int QUIET_SAMPLES = 5;
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final PostgresServer server;

    private Database(PostgresServer server) {
        this.server = server;
    }

    /** Starts it on a free port, with its files in a directory. */
    public static Database start(Path directory) throws IOException, InterruptedException {
        return new Database(
                PostgresServer.startNew(directory.resolveSibling("postgres"), directory.resolve("postgres")));
    }

    public PostgresServer server() {
        return server;
    }

    /** It, as a result names it. */
    public Map<String, String> servers() throws SQLException {
        return Map.of("postgres", server.version());
    }

    /** What its backends that are at work wait for now: how many of them for each, and {@code running} for those that do not. */
    public Map<String, Integer> waits() throws SQLException {
        String sql = "select coalesce(wait_event_type || '/' || wait_event, 'running'), count(*) from pg_stat_activity"
                + " where backend_type = 'client backend' and state = 'active' and pid <> pg_backend_pid() group by 1";
        Map<String, Integer> waits = new TreeMap<>();
        try (Connection connection = server.connect();
                PreparedStatement select = connection.prepareStatement(sql);
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                waits.put(rows.getString(1), rows.getInt(2));
            }
        }
        return waits;
    }

    /** The views of a page: zero if nobody ever counted one. */
    public long counter(Endpoint endpoint, String page) throws SQLException {
        String sql = "select " + endpoint.column() + " from " + endpoint.table() + " where name = ?";
        try (Connection connection = server.connect();
                PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, page);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    /**
     * Waits until the server is done with requests that no client waits for any more: no transaction is open and no counter
     * moves for a second on end.
     */
    public void awaitIdle() throws SQLException, InterruptedException {
        long giveUpAt = System.nanoTime() + LONGEST_WAIT.toNanos();
        List<String> seen = List.of();
        for (int quiet = 0; quiet < QUIET_SAMPLES; ) {
            List<String> now = new ArrayList<>();
            for (Endpoint endpoint : Endpoint.values()) {
                now.add(ask("select coalesce(sum(" + endpoint.column() + "), 0) from " + endpoint.table()));
            }
            quiet = now.equals(seen) && server.openTransactions() == 0 ? quiet + 1 : 0;
            seen = now;
            if (System.nanoTime() - giveUpAt > 0) {
                throw new IllegalStateException(
                        "The server was still at work " + LONGEST_WAIT + " after the last request");
            }
            Thread.sleep(SAMPLE.toMillis());
        }
    }

    private String ask(String sql) throws SQLException {
        try (Connection connection = server.connect();
                PreparedStatement select = connection.prepareStatement(sql);
                ResultSet row = select.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
