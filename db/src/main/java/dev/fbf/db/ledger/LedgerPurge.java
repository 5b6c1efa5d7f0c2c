package dev.fbf.db.ledger;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/**
 * Deletes expired operations from the ledger, some of the table's pages in each round. Used by one thread.
 *
 * <p>It needs no index on the time, which each operation would have to pay for. Every row expires, so that reading the whole table four
 * times within a retry window finds about one expired row for each four that are kept.
 */
final class LedgerPurge {

    private static final int PASSES_IN_A_WINDOW = 4;

    /** Where no node is registered. */
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private static final int FEWEST_PAGES = 64;

    /** In one transaction, which deletes some 2,000 rows at most: few enough for a transaction that is short. */
    private static final int PAGES_AT_ONCE = 16;

    private final LedgerTable ledger;
    private final LedgerHorizon horizon;
    private final Duration betweenRounds;

    /** Negative until the first round: nodes that start together begin at different pages. */
    private long next = -1;

    LedgerPurge(LedgerTable ledger, LedgerHorizon horizon, Duration betweenRounds) {
        this.ledger = ledger;
        this.horizon = horizon;
        this.betweenRounds = betweenRounds;
    }

    /**
     * Purges the next pages.
     *
     * @param stop asked before each transaction
     * @return how many operations were deleted
     */
    int round(Connection connection, BooleanSupplier stop) throws SQLException {
        horizon.advance(connection);
        LedgerTable.Extent extent = ledger.extent(connection);
        if (extent.pages() == 0) {
            return 0;
        }
        if (next < 0) {
            next = ThreadLocalRandom.current().nextLong(extent.pages());
        }
        int purged = 0;
        for (long left = inThisRound(extent); left > 0 && !stop.getAsBoolean(); ) {
            next = next < extent.pages() ? next : 0;
            int some = (int) Math.min(Math.min(PAGES_AT_ONCE, left), extent.pages() - next);
            purged += ledger.purge(connection, next, some);
            next += some;
            left -= some;
        }
        return purged;
    }

    private long inThisRound(LedgerTable.Extent extent) {
        Duration window = extent.shortestWindow();
        double rounds =
                (double) (window == null ? WINDOW : window).toMillis() / PASSES_IN_A_WINDOW / betweenRounds.toMillis();
        return Math.min(extent.pages(), Math.max(FEWEST_PAGES, (long) Math.ceil(extent.pages() / rounds)));
    }
}
