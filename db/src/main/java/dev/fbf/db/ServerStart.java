package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** The time when a PostgreSQL server was started: it tells a primary from any other, and from itself before a restart. */
final class ServerStart {

    /** For a query that reads something else, too. */
    static final String EXPRESSION = "pg_postmaster_start_time()";

    private static final String QUERY = "SELECT " + EXPRESSION;

    private ServerStart() {}

    /** The start of the server that the caller's transaction runs on. */
    static OffsetDateTime of(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(QUERY);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return in(rows, 1);
        }
    }

    /** As {@link #of}, in a transaction of its own; null for databases other than PostgreSQL. */
    static @Nullable OffsetDateTime ifPostgres(Connection connection) throws SQLException {
        if (!FbfSchema.isPostgres(connection)) {
            return null;
        }
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            OffsetDateTime start = of(connection);
            transaction.commit();
            return start;
        }
    }

    /** The value of {@link #EXPRESSION} in a row. */
    static OffsetDateTime in(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class);
    }
}
