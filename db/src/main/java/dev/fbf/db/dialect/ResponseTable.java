package dev.fbf.db.dialect;

import dev.fbf.db.connection.OwnTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

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
        int count = responses.size();
        UUID[] operations = new UUID[count];
        Integer[] retentions = new Integer[count];
        Short[] statuses = new Short[count];
        String[] headers = new String[count];
        byte[][] bodies = new byte[count][];
        for (int i = 0; i < count; i++) {
            Response response = responses.get(i).response();
            operations[i] = response.operation();
            retentions[i] = PostgresLedger.seconds(responses.get(i).retention());
            statuses[i] = (short) response.status();
            headers[i] = response.headers();
            bodies[i] = response.body();
        }
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection);
                PreparedStatement statement = connection.prepareStatement(tables.sql(INSERT))) {
            // the driver sends arrays of these types in binary, and others as text
            statement.setArray(1, connection.createArrayOf("uuid", operations));
            statement.setArray(2, connection.createArrayOf("integer", retentions));
            statement.setArray(3, connection.createArrayOf("smallint", statuses));
            statement.setArray(4, connection.createArrayOf("text", headers));
            statement.setArray(5, connection.createArrayOf("bytea", bodies));
            statement.executeUpdate();
            transaction.commit();
        }
    }
}
