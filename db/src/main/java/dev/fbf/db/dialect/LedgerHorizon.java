package dev.fbf.db.dialect;

import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Record, in the table {@code fbf_horizon}, of the times by which all transactions before a given one had ended. Not thread-safe. */
final class LedgerHorizon {

    /*
     * PostgreSQL stores with each row the id of the transaction that inserted it, and its COMMIT may follow minutes later: retries begin then.
     * The row must be kept for the retry window from that moment, even if a lock, a client or a server delayed the COMMIT.
     *
     * PostgreSQL assigns ids in ascending order, and a snapshot knows the oldest transaction that is running or prepared: all transactions
     * before that one have ended. Each record has both:
     *
     *   transactions_before   transactions with an id below this one
     *   ended_by              are committed or gone by this time of the ledger
     *
     * A row's retention counts from the first record that includes its transaction. Missing records only prolong it: while no process takes
     * samples, or while any transaction of the server that has written stays open, in any database. (While one of the ledger's database
     * does, VACUUM could not free the space of deleted rows either.) Records that are dense compared with their age are thinned out; this
     * prolongs the retention by at most a sixteenth.
     *
     * The ledger has its own time, because a clock can be set, and a standby with another clock can take over. The row with
     * transactions_before = 0 holds it. One node keeps the time: each round it adds the span that its monotonic clock has measured, unless
     * it finds the time changed. Then another node has taken over, because it found the time unchanged for two rounds. One round would be
     * too short, because the nodes' rounds are not synchronized. No span is added twice, so the ledger's time is never faster than true
     * time, and it stands still while no node runs. Only a node that adds a span writes a record, because its time is up to date. The lock
     * on the table makes reading and adding one step.
     *
     * Records that were copied from another server, by pg_dump or logical replication, describe that server's transactions. The transaction
     * that inserted them here gives them away: it inserted records of several times, or it is older than a transaction that a record claims
     * to have seen. They are deleted, and until then nothing expires. Records with low ids that were copied one per transaction are not
     * recognized. They can apply to rows that were here before them, but never to later rows, because those have higher ids.
     */
    private static final Logger log = LoggerFactory.getLogger(LedgerHorizon.class);

    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

    static final String NAME = "{fbf}.fbf_horizon";

    private static final String LOCK = "LOCK TABLE {fbf}.fbf_horizon IN SHARE ROW EXCLUSIVE MODE";

    /** SQL for the id, as double precision, from which the server counts the {@code age} of others. */
    static final String NEXT = """
            (SELECT CAST(CAST(xmax AS text) AS float8) + age(CAST(xmax AS xid))
            FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())) AS snapshot (xmax))""";

    /** Condition that some records were copied from another server. */
    static final String HAS_COPIED = """
            EXISTS (SELECT FROM {fbf}.fbf_horizon GROUP BY xmin HAVING min(ended_by) < max(ended_by)
            OR bool_or(CAST(CAST(transactions_before AS text) AS float8) >\s""" + NEXT + " - age(xmin)))";

    private static final String SAMPLE =
            "SELECT pg_snapshot_xmin(pg_current_snapshot()), coalesce(max(ended_by), clock_timestamp()), count(*) = 0, "
                    + HAS_COPIED + " FROM {fbf}.fbf_horizon";

    private static final String FORGET = "DELETE FROM {fbf}.fbf_horizon WHERE transactions_before > '0'";

    private static final String RECORD_TIME = """
            INSERT INTO {fbf}.fbf_horizon (transactions_before, ended_by) VALUES ('0', ?)
            ON CONFLICT (transactions_before) DO UPDATE SET ended_by = excluded.ended_by
            """;

    private static final String RECORD = """
            INSERT INTO {fbf}.fbf_horizon (ended_by, transactions_before) VALUES (?, CAST(? AS xid8)) ON CONFLICT DO NOTHING
            """;

    // deletes every second record, so that each deleted record has a neighbor
    private static final String THIN = """
            DELETE FROM {fbf}.fbf_horizon WHERE transactions_before IN (
              SELECT transactions_before FROM (
                SELECT transactions_before, ended_by, row_number() OVER records AS number,
                  lead(ended_by) OVER records - lag(ended_by) OVER records AS gap
                FROM {fbf}.fbf_horizon WHERE transactions_before > '0'
                WINDOW records AS (ORDER BY transactions_before)) AS record
              WHERE number % 2 = 0
                AND gap < ((SELECT ended_by FROM {fbf}.fbf_horizon WHERE transactions_before = '0') - ended_by) / 16)
            """;

    /**
     * Sample of the ledger and the open transactions.
     *
     * @param oldest the id of the oldest transaction that had not ended
     * @param time the ledger's time
     * @param isNew whether no node has set that time before
     * @param hasCopied whether records were copied from another server
     * @param received the time at which the sample was received, by the monotonic clock
     */
    private record Sample(String oldest, OffsetDateTime time, boolean isNew, boolean hasCopied, long received) {}

    /** The number of rounds in which the ledger's time must not change before this node keeps it. */
    private static final int ROUNDS_UNCHANGED = 2;

    /**
     * The result of a round.
     *
     * @param unchanged the number of rounds since another node may have changed the ledger's time, up to the number after which this node
     *     keeps the time
     * @param time the ledger's time
     * @param seen the time at which this node first saw the ledger's time, by its monotonic clock
     */
    private record Round(int unchanged, OffsetDateTime time, long seen) {}

    private final Tables tables;
    private final LongSupplier nanoTime;
    private @Nullable Round last;

    LedgerHorizon(Tables tables) {
        this(tables, System::nanoTime);
    }

    /**
     * @param nanoTime a monotonic clock like {@link System#nanoTime()}
     */
    LedgerHorizon(Tables tables, LongSupplier nanoTime) {
        this.tables = tables;
        this.nanoTime = nanoTime;
    }

    /**
     * Takes a sample in a separate transaction. If this node keeps the ledger's time, advances it and records the sample.
     *
     * @return whether this node keeps the ledger's time, and has advanced it
     */
    boolean advance(Connection connection) throws SQLException {
        Round before = last;
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, LOCK_TIMEOUT)) {
            execute(connection, LOCK);
            Sample sample = sample(connection);
            Round same = before != null && sample.time.isEqual(before.time) ? before : null;
            int unchanged = same == null ? 0 : Math.min(ROUNDS_UNCHANGED, same.unchanged + 1);
            Duration added = same != null && unchanged == ROUNDS_UNCHANGED
                    ? Duration.ofNanos(sample.received - same.seen).truncatedTo(ChronoUnit.MICROS)
                    : null;
            OffsetDateTime now = added == null ? sample.time : sample.time.plus(added);

            if (sample.hasCopied) {
                execute(connection, FORGET);
            }
            execute(connection, RECORD_TIME, now);
            if (added != null) {
                execute(connection, RECORD, now, sample.oldest);
            }
            execute(connection, THIN);
            transaction.commit();
            if (sample.hasCopied) {
                log.info(
                        "The ledger was copied from another server. Its operations are kept for their retry windows from now on.");
            }
            boolean keeps = sample.isNew || added != null;
            last = new Round(
                    keeps ? ROUNDS_UNCHANGED : unchanged, now, same == null || keeps ? sample.received : same.seen);
            return added != null;
        }
    }

    private Sample sample(Connection connection) throws SQLException {
        return Sql.get(
                connection,
                tables.sql(SAMPLE),
                row -> new Sample(
                        row.getString(1),
                        row.getObject(2, OffsetDateTime.class),
                        row.getBoolean(3),
                        row.getBoolean(4),
                        nanoTime.getAsLong()));
    }

    private void execute(Connection connection, String sql, Object... parameters) throws SQLException {
        Sql.update(connection, tables.sql(sql), parameters);
    }
}
