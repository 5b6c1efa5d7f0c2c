package dev.fbf.db.dialect;

import dev.fbf.db.connection.OwnTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/** The table {@code fbf_response}: first responses, each with its own expiry. {@link PostgresLedger#find} reads them. */
final class ResponseTable {

    static final String NAME = "{fbf}.fbf_response";

    // The WHERE clause is always true and is evaluated once. The ledger is read only if the operation already has a
    // response. That response stays, unless the operation was entered after it: then it belongs to a transaction that
    // did not commit, or to an expired operation.
    private static final String INSERT = """
            INSERT INTO {fbf}.fbf_response AS known (operation, retention, status, headers, body, transaction_id)
            SELECT response.*, pg_current_xact_id()
            FROM unnest(?::uuid[], ?::integer[], ?::smallint[], ?::text[], ?::bytea[]) AS response
            WHERE (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
            ON CONFLICT (operation) DO UPDATE SET (retention, status, headers, body, transaction_id)
              = (excluded.retention, excluded.status, excluded.headers, excluded.body, excluded.transaction_id)
            WHERE known.transaction_id <
              (SELECT ledger.transaction_id FROM {fbf}.fbf_ledger AS ledger WHERE ledger.operation = excluded.operation)
            """;

    private final Tables tables;

    ResponseTable(Tables tables) {
        this.tables = tables;
    }

    /**
     * Stores responses in a separate transaction, whose COMMIT does not wait for the disk. If an operation has a response since it was
     * entered, that response stays.
     *
     * @param responses at most one per operation
     */
    void insert(Connection connection, List<Ledger.Kept> responses) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection);
                PreparedStatement statement = connection.prepareStatement(tables.sql(INSERT))) {
            setArray(connection, statement, 1, "uuid", responses, Ledger.Kept::operation, Object[]::new);
            setArray(
                    connection,
                    statement,
                    2,
                    "integer",
                    responses,
                    kept -> PostgresLedger.seconds(kept.retention()),
                    Integer[]::new);
            setArray(
                    connection,
                    statement,
                    3,
                    "smallint",
                    responses,
                    kept -> (short) kept.answer().status(),
                    Short[]::new);
            setArray(
                    connection,
                    statement,
                    4,
                    "text",
                    responses,
                    kept -> kept.answer().headers(),
                    String[]::new);
            setArray(
                    connection,
                    statement,
                    5,
                    "bytea",
                    responses,
                    kept -> kept.answer().body(),
                    byte[][]::new);
            statement.executeUpdate();
            transaction.commit();
        }
    }

    /** Sets an array. The driver sends a typed array, such as {@code Short[]}, in binary format, and an {@code Object[]} as text. */
    private static <T> void setArray(
            Connection connection,
            PreparedStatement statement,
            int index,
            String type,
            List<Ledger.Kept> responses,
            Function<Ledger.Kept, T> column,
            IntFunction<T[]> array)
            throws SQLException {
        T[] elements = responses.stream().map(column).toArray(array);
        statement.setArray(index, connection.createArrayOf(type, elements));
    }
}
