package dev.fbf.loadtest.listeners;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import java.sql.SQLException;

/** How many numbers were counted how often: lost, once, more often. */
record Counted(long lost, long once, long more) {

    /** Empties the database, and prepares a row for each of the numbers 0, 1, …. */
    static void prepare(PostgresServer postgres, int numbers) throws SQLException {
        postgres.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public;"
                + " CREATE TABLE counted (id integer PRIMARY KEY, times integer NOT NULL);"
                + " INSERT INTO counted SELECT id, 0 FROM generate_series(0, " + (numbers - 1) + ") AS id");
    }

    static Counted in(PostgresServer postgres) throws SQLException {
        return postgres.query(
                        "SELECT count(*) FILTER (WHERE times = 0), count(*) FILTER (WHERE times = 1),"
                                + " count(*) FILTER (WHERE times > 1) FROM counted",
                        row -> new Counted(row.getLong(1), row.getLong(2), row.getLong(3)))
                .get(0);
    }
}
