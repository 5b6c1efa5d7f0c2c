package dev.fbf.db.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Deletion of expired rows: each round visits some of the tables' pages. One of the nodes that share the tables purges. Not thread-safe.
 */
final class LedgerPurge {

    /*
     * The purge needs no index on the time: maintaining one would slow down each operation. Each round reads the next pages of a table: a
     * twentieth of them, so that a pass takes ten minutes, and PAGES_AT_LEAST, so that rows of a short retention do not pile up. That decides
     * when an expired row is deleted, not whether a row has expired: each row has its own retention.
     *
     * The node that keeps the ledger's time purges: the horizon elects one, and a successor when that node has stopped. There can be two
     * for a moment; each skips rows that the other has locked.
     */
    private static final int ROUNDS_OF_A_PASS = 20;

    /** Some 120,000 rows of the ledger. */
    private static final int PAGES_AT_LEAST = 1_024;

    /**
     * Age at which a sample is repeated during a round. Shorter than the time between two rounds, so that no other node takes over in a
     * long round.
     */
    private static final Duration BETWEEN_SAMPLES = Duration.ofSeconds(5);

    private final LedgerHorizon horizon;
    private final LongSupplier nanoTime;
    private final ExpiringRows[] tables;

    LedgerPurge(LedgerHorizon horizon, LongSupplier nanoTime, ExpiringRows... tables) {
        this.horizon = horizon;
        this.nanoTime = nanoTime;
        this.tables = tables;
    }

    /**
     * Purges some pages, if this node is the one that purges.
     *
     * @param stop whether to end the round early
     * @return the number of deleted rows
     */
    int round(Connection connection, BooleanSupplier stop) throws SQLException {
        int purged = 0;
        boolean purges = horizon.advance(connection);
        long sampledAt = nanoTime.getAsLong();
        for (ExpiringRows rows : tables) {
            long pages = purges ? rows.pages(connection) : 0;
            long left = Math.min(pages, Math.max(PAGES_AT_LEAST, pages / ROUNDS_OF_A_PASS));
            while (purges && left > 0 && !stop.getAsBoolean()) {
                left -= ExpiringRows.PAGES;
                purged += rows.purgeNext(connection, pages);
                if (nanoTime.getAsLong() - sampledAt > BETWEEN_SAMPLES.toNanos()) {
                    purges = horizon.advance(connection);
                    sampledAt = nanoTime.getAsLong();
                }
            }
        }
        return purged;
    }
}
