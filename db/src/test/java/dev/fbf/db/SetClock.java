package dev.fbf.db;

import static dev.fbf.db.FbfDatabase.execute;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The clock of a database, which tests set, and a monotonic clock of a node. A search path that names {@code pg_catalog} last lets
 * functions of the test take the place of PostgreSQL's own.
 */
public final class SetClock {

    private final Connection connection;
    private Duration shift = Duration.ZERO;
    private long nanos;

    private SetClock(Connection connection) {
        this.connection = connection;
    }

    /** Connections that are opened from now on have it. */
    public static void install(Connection connection) throws SQLException {
        execute(connection, """
                CREATE SCHEMA clock;
                CREATE TABLE clock.clock AS SELECT interval '0' AS shift;
                CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
                  AS 'SELECT pg_catalog.clock_timestamp() + (SELECT shift FROM clock.clock)';
                CREATE FUNCTION clock.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE
                  AS 'SELECT pg_catalog.statement_timestamp() + (SELECT shift FROM clock.clock)';
                CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE
                  AS 'SELECT pg_catalog.now() + (SELECT shift FROM clock.clock)';
                DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = clock, public, %I, pg_catalog',
                  current_database(), $schema${fbf}$schema$); END $$
                """.replace("{fbf}", FbfDatabase.SCHEMA));
    }

    /** A clock that is right. */
    public static SetClock of(Connection connection) throws SQLException {
        SetClock clock = new SetClock(connection);
        clock.set(Duration.ZERO);
        return clock;
    }

    /** Sets the database's clock. */
    public void set(Duration by) throws SQLException {
        shift = shift.plus(by);
        execute(connection, "UPDATE clock.clock SET shift = interval '" + shift.toMillis() + " milliseconds'");
    }

    /** Lets time pass, on all clocks. */
    public void pass(Duration time) throws SQLException {
        nanos += time.toNanos();
        set(time);
    }

    /** Lets time pass while the node's host is suspended. */
    public void suspend(Duration time) throws SQLException {
        set(time);
    }

    public long nanoTime() {
        return nanos + TimeUnit.DAYS.toNanos(1);
    }
}
