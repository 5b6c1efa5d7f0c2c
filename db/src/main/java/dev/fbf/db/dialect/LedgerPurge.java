package dev.fbf.db.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Deletion of expired rows: each round visits some of the tables' pages. One of the nodes that share the tables purges. Not thread-safe.
 */
final class LedgerPurge {

    /*
     * The purge needs no index on the time: maintaining one would slow down each operation. A table is read in passes, each from its first to
     * its last page, a part per round: four passes within the shortest retention that the pass before has seen, and at least one per
     * LONGEST_PAUSE, because rows with a shorter retention may be added.
     *
     * The pace decides when an expired row is deleted, not whether a row has expired: each row has its own retention. So the windows of
     * other nodes, running or ended, need not be known.
     *
     * The node that keeps the ledger's time purges: the horizon elects one, and a successor when that node has stopped. There can be two
     * for a moment; each skips rows that the other has locked.
     */
    private static final int PASSES_IN_A_RETENTION = 4;

    /** Pages that are read at once: some 30,000 rows of the ledger. */
    static final int PAGES = 256;

    /** Pages per transaction if many rows have expired. A transaction deletes at most some 2,000 rows, so that it is short. */
    private static final int PAGES_AT_ONCE = 16;

    private static final int FEW = 2_000;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /**
     * Age at which a sample is repeated during a round. Shorter than the time between two rounds, so that no other node takes over in a
     * long round.
     */
    private static final Duration BETWEEN_SAMPLES = Duration.ofSeconds(5);

    private final LedgerHorizon horizon;
    private final Duration betweenRounds;
    private final LongSupplier nanoTime;
    private final List<ExpiringRows> tables;

    private long sampledAt;

    LedgerPurge(LedgerHorizon horizon, Duration betweenRounds, LongSupplier nanoTime, ExpiringRows... tables) {
        this.horizon = horizon;
        this.betweenRounds = betweenRounds;
        this.nanoTime = nanoTime;
        this.tables = List.of(tables);
    }

    /**
     * Purges a part of the tables, if this node is the one that purges.
     *
     * @param stop whether to end the round early
     * @return the number of deleted rows
     */
    int round(Connection connection, BooleanSupplier stop) throws SQLException {
        if (!keepsTime(connection)) {
            return 0;
        }
        int purged = 0;
        for (ExpiringRows table : tables) {
            long pages = table.pages(connection);
            long parts = (pages + PAGES - 1) / PAGES;
            long end = Math.min(pages, table.next + PAGES * ((parts + table.rounds - 1) / table.rounds));
            while (table.next < end && !stop.getAsBoolean()) {
                if (nanoTime.getAsLong() - sampledAt > BETWEEN_SAMPLES.toNanos() && !keepsTime(connection)) {
                    return purged;
                }
                purged += purge(connection, table, (int) Math.min(PAGES, end - table.next), stop);
            }
            if (table.next >= pages) {
                table.rounds = pace(table.shortest);
                table.next = 0;
                table.shortest = null;
            }
        }
        return purged;
    }

    private boolean keepsTime(Connection connection) throws SQLException {
        boolean keeps = horizon.advance(connection);
        sampledAt = nanoTime.getAsLong();
        return keeps;
    }

    /** Purges the next pages of a table. */
    private int purge(Connection connection, ExpiringRows table, int pages, BooleanSupplier stop) throws SQLException {
        long first = table.next;
        table.next += pages;
        ExpiringRows.Found found = table.look(connection, first, pages);
        Integer shortest = found.shortestRetention();
        if (table.shortest == null || (shortest != null && shortest < table.shortest)) {
            table.shortest = shortest;
        }
        int atOnce = found.expired() <= FEW ? pages : PAGES_AT_ONCE;
        int purged = 0;
        for (int done = 0; found.expired() > 0 && done < pages && !stop.getAsBoolean(); done += atOnce) {
            purged += table.purge(connection, first + done, Math.min(atOnce, pages - done));
        }
        return purged;
    }

    /** Returns the number of rounds of a pass. */
    private int pace(@Nullable Integer shortestRetention) {
        Duration pause = shortestRetention == null
                ? LONGEST_PAUSE
                : Duration.ofSeconds(shortestRetention).dividedBy(PASSES_IN_A_RETENTION);
        Duration bounded = pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
        return Math.max(1, (int) (bounded.toMillis() / betweenRounds.toMillis()));
    }
}
