package dev.fbf.db.ledger;

import dev.fbf.db.Arbiter;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.Response;
import dev.fbf.db.connection.OwnTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The responses that clients got, in the table {@code fbf_response}: for as long as the operation is in the ledger. */
final class ResponseTable {

    private static final String INSERT = """
            INSERT INTO {fbf}.fbf_response (operation, status, headers, ending, body)
            SELECT operation, ?, ?, ?, ? FROM {fbf}.fbf_ledger WHERE operation = ?
            ON CONFLICT DO NOTHING
            """;

    private static final String FIND =
            "SELECT status, headers, ending, body FROM {fbf}.fbf_response WHERE operation = ?";

    /** Whether a transaction has applied an operation a moment ago, so that its response may be on its way. */
    private static final String AWAITED = """
            SELECT FROM {fbf}.fbf_ledger
            WHERE operation = ? AND entered_at > clock_timestamp() - interval '10 seconds'
            """;

    private final FbfSchema schema;

    ResponseTable(FbfSchema schema) {
        this.schema = schema;
    }

    /** As {@link Arbiter#check}. */
    void check(Connection connection) throws SQLException {
        schema.check(connection, "{fbf}.fbf_response", "SELECT INSERT");
    }

    /**
     * Enters responses in a transaction of its own, whose COMMIT does not wait for the disk. The first response entered for an
     * operation is kept. Responses for operations that are not in the ledger are left out.
     */
    void insert(Connection connection, Collection<Response> responses) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection);
                PreparedStatement asynchronous = connection.prepareStatement("SET LOCAL synchronous_commit = off");
                PreparedStatement statement = connection.prepareStatement(schema.sql(connection, INSERT))) {
            asynchronous.execute();
            for (Response response : responses) {
                statement.setInt(1, response.status());
                statement.setString(2, response.headers());
                statement.setString(3, response.ending().name());
                statement.setBytes(4, response.body());
                statement.setObject(5, response.operation());
                statement.addBatch();
            }
            statement.executeBatch();
            transaction.commit();
        }
    }

    /**
     * Whether the response to an operation, which is not in the table, may be written soon: the operation was entered less than 10 seconds
     * ago.
     */
    boolean isAwaited(Connection connection, UUID operation) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, AWAITED))) {
            statement.setObject(1, operation);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    /** The response that a client got, or the note that it is not kept; null if neither was written. */
    @Nullable Response find(Connection connection, UUID operation) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, FIND))) {
            statement.setObject(1, operation);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? new Response(
                                operation,
                                rows.getInt(1),
                                rows.getString(2),
                                Response.Ending.valueOf(rows.getString(3)),
                                rows.getBytes(4))
                        : null;
            }
        }
    }
}
