package dev.fbf.db.ledger;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.connection.OwnTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table with an individual retention, which begins at the end of the inserting transaction as recorded by the
 * {@linkplain LedgerHorizon horizon}.
 */
final class ExpiringRows {

    // The arrays are created once per statement. Before the horizon's first record, the comparison is with null.
    // While the horizon has a record of transactions that this server has not begun, no row counts as expired.
    private static final String EXPIRED = """
            retention <= (SELECT array_agg(CAST(floor(extract(epoch FROM now - ended_by)) AS bigint)
                ORDER BY transactions_before) FROM {fbf}.fbf_horizon,
                  (SELECT ended_by AS now FROM {fbf}.fbf_horizon WHERE transactions_before = '0') AS ledger)
              [1 + width_bucket(transaction_id, (SELECT array_agg(transactions_before ORDER BY transactions_before) FROM {fbf}.fbf_horizon))]
            AND NOT EXISTS (SELECT FROM {fbf}.fbf_horizon WHERE transactions_before > pg_snapshot_xmax(pg_current_snapshot()))
            """;

    private static final String PAGES =
            "SELECT pg_relation_size(CAST(? AS regclass)) / CAST(current_setting('block_size') AS integer)";

    /** Setting for a purge, whose COMMIT waits neither for the disk nor for standbys: a purge that a crash undoes is repeated. */
    private static final String ASYNCHRONOUS = "SET LOCAL synchronous_commit = off";

    private final FbfSchema schema;
    private final String table;
    private final String look;
    private final String purge;

    /**
     * @param table a template, such as {@code {fbf}.fbf_ledger}
     */
    ExpiringRows(FbfSchema schema, String table) {
        this.schema = schema;
        this.table = table;
        look = "SELECT count(*) FILTER (WHERE " + EXPIRED + "), min(retention) FROM " + table
                + " WHERE ctid >= CAST(? AS tid) AND ctid < CAST(? AS tid)";
        // The last condition is true. Because of it the planner estimates a scan of the whole table as costlier than
        // lookups of the rows, even while the table is empty.
        purge = "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " + table
                + " WHERE ctid >= CAST(? AS tid) AND ctid < CAST(? AS tid) AND " + EXPIRED
                + " FOR UPDATE SKIP LOCKED)) AND num_nonnulls(operation) = 1";
    }

    /** Returns the SQL that reads pages, and the SQL that purges them. */
    String[] templates() {
        return new String[] {look, purge};
    }

    /** Returns the number of the table's pages. */
    long pages(Connection connection) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.begin(connection);
                PreparedStatement statement = connection.prepareStatement(PAGES)) {
            statement.setString(1, schema.sql(connection, table));
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                long pages = rows.getLong(1);
                transaction.commit();
                return pages;
            }
        }
    }

    /**
     * Summary of some pages.
     *
     * @param expired the number of expired rows
     * @param shortestRetention the shortest retention of all rows, in seconds; null if there are no rows
     */
    record Found(int expired, @Nullable Integer shortestRetention) {}

    /**
     * Counts expired rows.
     *
     * @param first the first page, from 0
     * @param pages the number of pages
     */
    Found look(Connection connection, long first, int pages) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.begin(connection);
                PreparedStatement statement = prepare(connection, look, first, pages);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            Found found = new Found(rows.getInt(1), rows.getObject(2, Integer.class));
            transaction.commit();
            return found;
        }
    }

    /**
     * Deletes the expired rows of some pages, in a separate transaction. Nodes can do so concurrently: each skips rows that another one
     * has locked.
     *
     * @param first the first page, from 0
     * @param pages the number of pages
     * @return the number of deleted rows
     */
    int purge(Connection connection, long first, int pages) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection);
                PreparedStatement asynchronous = connection.prepareStatement(ASYNCHRONOUS);
                PreparedStatement statement = prepare(connection, purge, first, pages)) {
            asynchronous.execute();
            int purged = statement.executeUpdate();
            transaction.commit();
            return purged;
        }
    }

    private PreparedStatement prepare(Connection connection, String template, long first, int pages)
            throws SQLException {
        if (first < 0 || pages < 1) {
            throw new IllegalArgumentException("first=" + first + ", pages=" + pages + ": must be at least 0 and 1");
        }
        PreparedStatement statement = connection.prepareStatement(schema.sql(connection, template));
        statement.setString(1, "(" + first + ",0)");
        statement.setString(2, "(" + (first + pages) + ",0)");
        return statement;
    }
}
