package dev.fbf.db.dialect;

import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Rows of a table with an individual retention, which begins at the end of the transaction that inserted the row on this server, as recorded
 * by the {@linkplain LedgerHorizon horizon}.
 */
final class ExpiringRows {

    /*
     * That transaction is the row's xmin, and stays it when VACUUM freezes or moves the row. So the retention of a row that was copied from
     * another server begins with the copy, whatever ids that server has assigned.
     *
     * xmin is the lower half of an id. The upper half is chosen so that the id is nearest to the server's next one. A row that is 2^31 ids
     * old thus looks younger, and stays: a retention must not take more ids than that.
     *
     * Ids are compared as double precision, because that is the fastest. It is exact up to 2^53.
     */

    // Before the horizon's first record, and while it has copied ones, all comparisons are with null.
    private static final String HORIZON = """
            WITH horizon AS (
              SELECT next, ids, ages
              FROM (SELECT\s""" + LedgerHorizon.NEXT + """
                 AS next,
                array_agg(CAST(CAST(transactions_before AS text) AS float8) ORDER BY transactions_before) AS ids,
                array_agg(CAST(floor(extract(epoch FROM now - ended_by)) AS bigint) ORDER BY transactions_before)
                  FILTER (WHERE transactions_before > '0') AS ages
                FROM {fbf}.fbf_horizon, (SELECT ended_by AS now FROM {fbf}.fbf_horizon WHERE transactions_before = '0') AS ledger
              ) AS records WHERE NOT\s""" + LedgerHorizon.HAS_COPIED + ")\n";

    /** Condition that a transaction ended before the row's retention. The horizon's arrays are created once per statement. */
    private static final String EXPIRED = "retention <= (SELECT ages FROM horizon)"
            + " [width_bucket((SELECT next FROM horizon) - age(xmin), (SELECT ids FROM horizon))]";

    private static final String COUNT_PAGES =
            "SELECT pg_relation_size(CAST(? AS regclass)) / CAST(current_setting('block_size') AS integer)";

    /** Pages that a purge reads. */
    static final int PAGES = 256;

    /** Rows that a statement deletes at most, so that its transaction is short. */
    private static final int MOST = 2_000;

    /** Setting for a purge, whose COMMIT waits neither for the disk nor for standbys: a purge that a crash undoes is repeated. */
    private static final String ASYNCHRONOUS = "SET LOCAL synchronous_commit = off";

    private final Tables tables;
    private final String table;

    /** The template that deletes the expired rows of some pages. */
    final String purge;

    /** The first page of the next purge. */
    private long next;

    /**
     * @param table a template, such as {@code {fbf}.fbf_ledger}
     */
    ExpiringRows(Tables tables, String table) {
        this.tables = tables;
        this.table = table;
        // The last condition is true. Because of it the planner estimates a scan of the whole table as costlier than
        // lookups of the rows, even while the table is empty.
        purge = HORIZON + "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " + table
                + " WHERE ctid >= CAST(? AS tid) AND ctid < CAST(? AS tid) AND " + EXPIRED + " LIMIT " + MOST
                + " FOR UPDATE SKIP LOCKED)) AND num_nonnulls(operation) = 1";
    }

    /** Returns the number of the table's pages. */
    long pages(Connection connection) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            long pages = Sql.get(connection, COUNT_PAGES, row -> row.getLong(1), tables.sql(table));
            transaction.commit();
            return pages;
        }
    }

    /**
     * Deletes the expired rows of the next {@link #PAGES} pages, in transactions of its own. Nodes can do so concurrently: each skips rows
     * that another one has locked.
     *
     * @param pages the number of the table's pages
     * @return the number of deleted rows
     */
    int purgeNext(Connection connection, long pages) throws SQLException {
        long first = next < pages ? next : 0;
        next = first + PAGES;
        String from = "(" + first + ",0)";
        String to = "(" + next + ",0)";
        int purged = 0;
        int latest = MOST;
        while (latest == MOST) {
            try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
                Sql.update(connection, ASYNCHRONOUS);
                latest = Sql.update(connection, tables.sql(purge), from, to);
                transaction.commit();
            }
            purged += latest;
        }
        return purged;
    }
}
