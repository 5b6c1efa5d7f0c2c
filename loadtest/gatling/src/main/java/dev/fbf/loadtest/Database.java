package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;

/** A PostgreSQL of our own, as safe as one in production, and the only witness whose word counts. */
final class Database implements AutoCloseable {

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

    /** The views of a page: zero if nobody ever counted one. An application can have a schema of its own. */
    long counter(Endpoint endpoint, String page) throws SQLException {
        long views = 0;
        for (String table : server.query(
                "select format('%I.%I', schemaname, tablename) from pg_tables where tablename = ?",
                row -> row.getString(1), endpoint.table)) {
            String sql = "select " + endpoint.column + " from " + table + " where name = ?";
            views += server.query(sql, row -> row.getLong(1), page).stream()
                    .findFirst()
                    .orElse(0L);
        }
        return views;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
