package dev.fbf.db.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Deletion of expired rows: each round visits some of the tables' pages. One of the nodes that share the tables purges. Not thread-safe.
 */
final class LedgerPurge {

    /*
     * The purge needs no index on the time: maintaining one would slow down each operation. A table is read in segments, each at its own
     * pace: four times within the shortest retention of its rows, and at least once per LONGEST_PAUSE, because rows with a shorter
     * retention may be added. So rows with a long retention are not read often because of a few with a short one. A segment is new to the
     * node at first: it is read again after two rounds, four, eight and so on, up to its pace.
     *
     * The pace decides when an expired row is deleted, not whether a row has expired: each row has its own retention. So the windows of
     * other nodes, running or ended, need not be known.
     *
     * The node that keeps the ledger's time purges: the horizon elects one, and a successor when that node has stopped. There can be two
     * for a moment; each skips rows that the other has locked.
     */
    private static final int PASSES_IN_A_RETENTION = 4;

    /** Pages per segment: some 30,000 rows of the ledger. */
    static final int PAGES = 256;

    /** Pages per transaction if many rows have expired. A transaction deletes at most some 2,000 rows, so that it is short. */
    private static final int PAGES_AT_ONCE = 16;

    private static final int FEW = 2_000;

    /** Minimum number of segments that each of a node's first rounds reads. */
    private static final int SEGMENTS_AT_FIRST = 64;

    private static final int ROUNDS_AT_FIRST = 15;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /**
     * Age at which a sample is repeated during a round. Shorter than the time between two rounds, so that no other node takes over in a
     * long round.
     */
    private static final Duration BETWEEN_SAMPLES = Duration.ofSeconds(5);

    /** Consecutive pages of a table, which are read in the same round. */
    private static final class Segment {

        /** Number of the round in which the segment is read next. */
        private int due;

        /** Rounds between the previous read and the next one. */
        private int pause = 1;

        Segment(int due) {
            this.due = due;
        }
    }

    private record Table(ExpiringRows rows, List<Segment> segments) {}

    private final LedgerHorizon horizon;
    private final Duration betweenRounds;
    private final LongSupplier nanoTime;
    private final List<Table> tables = new ArrayList<>();

    private int round;
    private long sampledAt;

    LedgerPurge(LedgerHorizon horizon, Duration betweenRounds, LongSupplier nanoTime, ExpiringRows... tables) {
        this.horizon = horizon;
        this.betweenRounds = betweenRounds;
        this.nanoTime = nanoTime;
        for (ExpiringRows rows : tables) {
            this.tables.add(new Table(rows, new ArrayList<>()));
        }
    }

    /**
     * Purges the due segments, if this node is the one that purges.
     *
     * @param stop whether to end the round early
     * @return the number of deleted rows
     */
    int round(Connection connection, BooleanSupplier stop) throws SQLException {
        if (!keepsTime(connection)) {
            tables.forEach(table -> table.segments.clear());
            return 0;
        }
        round++;
        int purged = 0;
        for (Table table : tables) {
            long pages = resize(connection, table);
            for (int i = 0; i < table.segments.size() && !stop.getAsBoolean(); i++) {
                Segment segment = table.segments.get(i);
                if (segment.due > round) {
                    continue;
                }
                if (nanoTime.getAsLong() - sampledAt > BETWEEN_SAMPLES.toNanos() && !keepsTime(connection)) {
                    return purged;
                }
                long first = (long) i * PAGES;
                purged += purge(connection, table.rows, segment, first, (int) Math.min(PAGES, pages - first), stop);
            }
        }
        return purged;
    }

    private boolean keepsTime(Connection connection) throws SQLException {
        boolean keeps = horizon.advance(connection);
        sampledAt = nanoTime.getAsLong();
        return keeps;
    }

    /** Adjusts the number of segments to the table's size; returns its number of pages. */
    private long resize(Connection connection, Table table) throws SQLException {
        long pages = table.rows.pages(connection);
        int count = Math.toIntExact((pages + PAGES - 1) / PAGES);
        List<Segment> segments = table.segments;
        if (count < segments.size()) {
            segments.subList(count, segments.size()).clear();
        }
        int atOnce = Math.max(SEGMENTS_AT_FIRST, count / ROUNDS_AT_FIRST);
        for (int first = segments.size(); segments.size() < count; ) {
            segments.add(new Segment(round + (segments.size() - first) / atOnce));
        }
        return pages;
    }

    private int purge(
            Connection connection, ExpiringRows rows, Segment segment, long first, int pages, BooleanSupplier stop)
            throws SQLException {
        ExpiringRows.Found found = rows.look(connection, first, pages);
        segment.pause = Math.min(2 * segment.pause, pace(found.shortestRetention()));
        segment.due = round + segment.pause;
        int atOnce = found.expired() <= FEW ? pages : PAGES_AT_ONCE;
        int purged = 0;
        for (int done = 0; found.expired() > 0 && done < pages && !stop.getAsBoolean(); done += atOnce) {
            purged += rows.purge(connection, first + done, Math.min(atOnce, pages - done));
        }
        return purged;
    }

    /** Returns the longest pause before a segment is read again, in rounds. */
    private int pace(@Nullable Integer shortestRetention) {
        Duration pause = shortestRetention == null
                ? LONGEST_PAUSE
                : Duration.ofSeconds(shortestRetention).dividedBy(PASSES_IN_A_RETENTION);
        Duration bounded = pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
        return Math.max(1, (int) (bounded.toMillis() / betweenRounds.toMillis()));
    }
}
