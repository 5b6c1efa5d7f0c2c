package dev.fbf.db.connection;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Identifies PostgreSQL, and each of its servers by the time of its start, which differs after a restart and on a standby. */
public final class Postgres {

    /** The start of the server, for a query that reads something else, too. */
    public static final String START = "pg_postmaster_start_time()";

    private static final String QUERY = "SELECT " + START;

    private Postgres() {}

    /**
     * {@return whether a database calls itself PostgreSQL}
     *
     * @throws SQLException if it cannot be reached
     */
    public static boolean is(Connection connection) throws SQLException {
        return "PostgreSQL".equals(connection.getMetaData().getDatabaseProductName());
    }

    /** The start of the server that the caller's transaction runs on. */
    public static OffsetDateTime start(Connection connection) throws SQLException {
        return Sql.get(connection, QUERY, row -> start(row, 1));
    }

    /** As {@link #start(Connection)}, in a transaction of its own; null for databases other than PostgreSQL. */
    public static @Nullable OffsetDateTime startIfPostgres(Connection connection) throws SQLException {
        if (!is(connection)) {
            return null;
        }
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            OffsetDateTime start = start(connection);
            transaction.commit();
            return start;
        }
    }

    /** The value of {@link #START} in a row. */
    public static OffsetDateTime start(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class);
    }
}
