package dev.fbf.db.connection;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/** Identification of PostgreSQL, and of its servers by their start time, which differs after a restart and on a standby. */
public final class Postgres {

    /** SQL expression for the server's start time. */
    public static final String START = "pg_postmaster_start_time()";

    private static final String QUERY = "SELECT " + START;

    private Postgres() {}

    /**
     * {@return whether a database calls itself PostgreSQL}
     *
     * @throws SQLException if the database cannot be reached
     */
    public static boolean is(Connection connection) throws SQLException {
        return "PostgreSQL".equals(connection.getMetaData().getDatabaseProductName());
    }

    /** Returns the start time of the server of the caller's transaction. */
    public static OffsetDateTime start(Connection connection) throws SQLException {
        return Sql.get(connection, QUERY, row -> start(row, 1));
    }

    /** Reads the value of {@link #START} from a row. */
    public static OffsetDateTime start(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class);
    }
}
