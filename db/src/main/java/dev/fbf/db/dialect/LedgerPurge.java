package dev.fbf.db.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Deletion of expired rows: each round visits some of the tables' pages. One of the nodes that share the tables purges. Not thread-safe.
 */
final class LedgerPurge {

    /*
     * The purge needs no index on the time: maintaining one would slow down each operation. A table is read in passes, each from its first to
     * its last page, a part per round.
     *
     * The pace decides when an expired row is deleted, not whether a row has expired: each row has its own retention. So the windows of
     * other nodes, running or ended, need not be known.
     *
     * The node that keeps the ledger's time purges: the horizon elects one, and a successor when that node has stopped, or its round takes
     * long. Two of them skip the rows that the other has locked.
     */
    /** The largest number of rounds of a pass, which take ten minutes. */
    private static final int ROUNDS = 20;

    /** The smallest number of parts of {@link #PAGES} in a round: 16 MiB, so that a pass of 80 MB takes two and a half minutes. */
    private static final int PARTS = 8;

    /** Pages that are read at once: some 30,000 rows of the ledger. */
    static final int PAGES = 256;

    /** Pages per transaction that deletes rows: some 2,000 rows, so that it is short. */
    private static final int PAGES_AT_ONCE = 16;

    private final LedgerHorizon horizon;
    private final List<ExpiringRows> tables;

    LedgerPurge(LedgerHorizon horizon, ExpiringRows... tables) {
        this.horizon = horizon;
        this.tables = List.of(tables);
    }

    /**
     * Purges a part of the tables, if this node is the one that purges.
     *
     * @param stop whether to end the round early
     * @return the number of deleted rows
     */
    int round(Connection connection, BooleanSupplier stop) throws SQLException {
        int purged = 0;
        if (horizon.advance(connection)) {
            for (ExpiringRows table : tables) {
                purged += purge(connection, table, stop);
            }
        }
        return purged;
    }

    private static int purge(Connection connection, ExpiringRows table, BooleanSupplier stop) throws SQLException {
        long pages = table.pages(connection);
        long parts = (pages + PAGES - 1) / PAGES;
        long end = Math.min(pages, table.next + PAGES * Math.max(PARTS, (parts + ROUNDS - 1) / ROUNDS));
        int purged = 0;
        while (table.next < end && !stop.getAsBoolean()) {
            long first = table.next;
            table.next = Math.min(end, first + PAGES);
            if (table.hasExpired(connection, first, table.next)) {
                for (long page = first; page < table.next && !stop.getAsBoolean(); page += PAGES_AT_ONCE) {
                    purged += table.purge(connection, page, Math.min(table.next, page + PAGES_AT_ONCE));
                }
            }
        }
        table.next = table.next < pages ? table.next : 0;
        return purged;
    }
}
