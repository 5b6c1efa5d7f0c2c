package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The tables of the application under torture. */
public final class Tables {

    private static final int FETCH = 10_000;

    private final PostgresServer server;

    public Tables(PostgresServer server) {
        this.server = server;
    }

    /** Makes them, with every counter at zero. */
    public void create(int counters) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE torture_page (name text PRIMARY KEY, views bigint NOT NULL)");
            // no key on it: it must not stop a second application
            statement.execute("CREATE TABLE torture_applied (operation text NOT NULL, counter text NOT NULL,"
                    + " at timestamptz NOT NULL DEFAULT clock_timestamp())");
            for (int i = 0; i < counters; i++) {
                statement.execute("INSERT INTO torture_page VALUES ('" + Operations.counter(i) + "', 0)");
            }
        }
    }

    /** Gives a verdict all that is in them, and lets it conclude. */
    void read(Verdict verdict) throws SQLException {
        try (Connection connection = server.connect()) {
            connection.setAutoCommit(false); // else the driver fetches all rows at once
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT operation, counter FROM torture_applied")) {
                select.setFetchSize(FETCH);
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        verdict.applied(rows.getString(1), rows.getString(2));
                    }
                }
            }
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT name, views FROM torture_page")) {
                while (rows.next()) {
                    verdict.value(rows.getString(1), rows.getLong(2));
                }
            }
            verdict.conclude();
            explain(verdict, connection);
        }
    }

    private static void explain(Verdict verdict, Connection connection) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT at FROM torture_applied WHERE operation = ?")) {
            for (String key : verdict.keysToExplain()) {
                select.setString(1, key);
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        verdict.time(key, rows.getTimestamp(1));
                    }
                }
            }
        }
    }
}
