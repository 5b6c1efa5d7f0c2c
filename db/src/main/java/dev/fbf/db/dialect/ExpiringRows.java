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
     * old thus looks younger, and a long retention can take more ids than that. Such an ancient row expires by transaction_id, the whole id
     * that fbf stores, provided that its lower half is xmin. It is not if the row was copied, or entered after a savepoint: such a row stays
     * if the server assigns more than 2^31 ids within its retention.
     *
     * Ids are compared as double precision, because that is the fastest. It is exact up to 2^53.
     */

    // Before the horizon's first record, and while it has copied ones, all comparisons are with null.
    private static final String HORIZON = """
            WITH horizon AS (
              SELECT next, CAST(CAST(CAST(greatest(next - 2147483648, 0) AS bigint) AS text) AS xid8) AS ancient, ids, ages
              FROM (SELECT\s""" + LedgerHorizon.NEXT + """
                 AS next,
                array_agg(CAST(CAST(transactions_before AS text) AS float8) ORDER BY transactions_before) AS ids,
                array_agg(CAST(floor(extract(epoch FROM now - ended_by)) AS bigint) ORDER BY transactions_before)
                  FILTER (WHERE transactions_before > '0') AS ages
                FROM {fbf}.fbf_horizon, (SELECT ended_by AS now FROM {fbf}.fbf_horizon WHERE transactions_before = '0') AS ledger
              ) AS records WHERE NOT\s""" + LedgerHorizon.HAS_COPIED + ")\n";

    private static final String EXPIRED = "(" + endedBefore("(SELECT next FROM horizon) - age(xmin)")
            + " OR transaction_id < (SELECT ancient FROM horizon) AND CAST(transaction_id AS xid) = xmin AND "
            + endedBefore("CAST(CAST(transaction_id AS text) AS float8)") + ")";

    private static final String PAGES =
            "SELECT pg_relation_size(CAST(? AS regclass)) / CAST(current_setting('block_size') AS integer)";

    /** Setting for a purge, whose COMMIT waits neither for the disk nor for standbys: a purge that a crash undoes is repeated. */
    private static final String ASYNCHRONOUS = "SET LOCAL synchronous_commit = off";

    private final Tables tables;
    private final String table;
    final String look;
    final String purge;

    /** The page that the pass reads next. */
    long next;

    /**
     * @param table a template, such as {@code {fbf}.fbf_ledger}
     */
    ExpiringRows(Tables tables, String table) {
        this.tables = tables;
        this.table = table;
        look = HORIZON + "SELECT count(*) FILTER (WHERE " + EXPIRED + ") > 0 FROM " + table
                + " WHERE ctid >= CAST(? AS tid) AND ctid < CAST(? AS tid)";
        // The last condition is true. Because of it the planner estimates a scan of the whole table as costlier than
        // lookups of the rows, even while the table is empty.
        purge = HORIZON + "DELETE FROM " + table + " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " + table
                + " WHERE ctid >= CAST(? AS tid) AND ctid < CAST(? AS tid) AND " + EXPIRED
                + " FOR UPDATE SKIP LOCKED)) AND num_nonnulls(operation) = 1";
    }

    /** Returns the condition that a transaction ended before the row's retention. The horizon's arrays are created once per statement. */
    private static String endedBefore(String id) {
        return "retention <= (SELECT ages FROM horizon) [width_bucket(" + id + ", (SELECT ids FROM horizon))]";
    }

    /** Returns the number of the table's pages. */
    long pages(Connection connection) throws SQLException {
        return OwnTransaction.read(
                connection, () -> Sql.get(connection, PAGES, row -> row.getLong(1), tables.sql(table)));
    }

    /** Returns whether a row has expired in the pages from {@code first}, from 0, to before {@code end}. */
    boolean hasExpired(Connection connection, long first, long end) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            boolean found = Sql.get(connection, tables.sql(look), row -> row.getBoolean(1), start(first), start(end));
            transaction.commit();
            return found;
        }
    }

    /**
     * Deletes the expired rows of some pages, in a separate transaction. Nodes can do so concurrently: each skips rows that another one
     * has locked.
     *
     * @param first the first page, from 0
     * @param end the page after the last one
     * @return the number of deleted rows
     */
    int purge(Connection connection, long first, long end) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            Sql.update(connection, ASYNCHRONOUS);
            int purged = Sql.update(connection, tables.sql(purge), start(first), start(end));
            transaction.commit();
            return purged;
        }
    }

    /** Returns the address before all rows of a page. */
    private static String start(long page) {
        return "(" + page + ",0)";
    }
}
