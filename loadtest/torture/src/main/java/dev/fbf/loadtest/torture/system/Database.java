package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.sql.SqlEndpoint;
import dev.fbf.loadtest.torture.client.Operations;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** PostgreSQL with the tables of the application under torture. */
class Database {

    /** The name of another database of the server, if there is one. */
    static final String SECOND = "second";

    private static final int FETCH = 10_000;

    private final SqlEndpoint server;
    private final List<String> databases = new ArrayList<>();

    Database(SqlEndpoint server) {
        this.server = server;
        databases.add(server.database());
    }

    /** Makes the tables, with every counter at zero. */
    void create(int counters) throws SQLException {
        // no key on the applied operations: it must not stop a second application
        server.execute("""
                CREATE TABLE torture_page (name text PRIMARY KEY, views bigint NOT NULL);
                CREATE TABLE torture_probe AS SELECT 0 AS applied;
                CREATE TABLE torture_applied (operation text NOT NULL, counter text NOT NULL,
                  transaction xid8 NOT NULL DEFAULT pg_current_xact_id());
                INSERT INTO torture_page SELECT '%s' || i, 0 FROM generate_series(0, %d) i
                """.formatted(Operations.PAGE, counters - 1));
    }

    /** Moves a page to another database, which gets the same tables. No other connection may be open. */
    void createSecond(String page) throws SQLException {
        server.execute("CREATE INDEX ON torture_applied (operation)");
        server.execute("CREATE DATABASE " + SECOND + " TEMPLATE " + server.database());
        server.execute("DELETE FROM torture_page WHERE name = '" + page + "'");
        try (Connection connection = server.connect(SECOND);
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM torture_page WHERE name <> '" + page + "'");
        }
        databases.add(SECOND);
    }

    /**
     * Has each change of fbf's own counters written down in its transaction: a counter's name tells the operation, if it is
     * that of one. An application must have made their table.
     */
    void watchCounters() throws SQLException {
        server.execute("""
                CREATE FUNCTION torture_write_down() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  INSERT INTO torture_applied (operation, counter)
                    SELECT CASE WHEN NEW.name LIKE 'op-%' THEN substr(NEW.name, 4) ELSE '' END, NEW.name
                    FROM generate_series(1, NEW.value - COALESCE(OLD.value, 0));
                  RETURN NULL;
                END $$;
                CREATE TRIGGER torture_write_down AFTER INSERT OR UPDATE ON fbf_counter
                  FOR EACH ROW EXECUTE FUNCTION torture_write_down()
                """);
    }

    final long applied() throws SQLException {
        return server.number("SELECT count(*) FROM torture_applied");
    }

    /** Counts the groups of several operations: all that one transaction has added to fbf's own counters is one. */
    long groupsOfSeveral() throws SQLException {
        return server.number(
                "SELECT count(*) FROM (SELECT FROM torture_applied"
                        + " WHERE counter NOT IN (SELECT name FROM torture_page) GROUP BY transaction HAVING count(*) > 1) AS several");
    }

    /** Gives a verdict all that is in the tables, and lets it conclude. */
    final void read(Verdict verdict) throws SQLException {
        for (String database : databases) {
            read(
                    database,
                    "SELECT operation, counter FROM torture_applied",
                    row -> verdict.applied(row.getString(1), row.getString(2)));
        }
        for (String database : databases) {
            read(
                    database,
                    "SELECT name, views FROM torture_page UNION ALL SELECT name, value FROM fbf_counter",
                    row -> verdict.value(row.getString(1), row.getLong(2)));
        }
        verdict.conclude();
    }

    private interface Reader {
        void read(ResultSet row) throws SQLException;
    }

    private void read(String database, String sql, Reader reader) throws SQLException {
        try (Connection connection = server.connect(database);
                PreparedStatement select = connection.prepareStatement(sql)) {
            connection.setAutoCommit(false); // else the driver fetches all rows at once
            select.setFetchSize(FETCH);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    reader.read(rows);
                }
            }
        }
    }
}
