package dev.fbf.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records in the table {@code fbf_horizon} by when the transactions had ended that entered operations before a time. Used by one thread.
 */
final class LedgerHorizon {

    /*
     * A row of the ledger has the time of its insert, and its COMMIT may come minutes later: retries begin then. The row must be kept
     * for the retry window from there, however long a lock, a client or a server kept the transaction from committing.
     *
     * A transaction that has inserted rows holds a lock on the ledger, from before the time in its first row until its COMMIT is
     * visible, and all users may read pg_locks. Samples of these locks show since when the oldest writer is open at most: since the
     * last sample that did not show it. All rows from before that time had ended by the present sample. So much is recorded:
     *
     *   entered_before   rows that were entered before this time
     *   ended_by         are committed or gone by this one
     *
     * A row's retention counts from the first record whose entered_before is later than the row. A missing record only prolongs it:
     * while no process samples, and for the rows beside a writer that stays open. So any node can record, and records are dropped
     * when they are dense compared with their age: the retention grows by a sixteenth of it at most.
     *
     * A transaction keeps its name when it is prepared for two-phase commit. On another server, or when the clock went back, sampling
     * starts over.
     */

    /** Older than any transaction: its begin is not known. */
    private static final OffsetDateTime UNKNOWN = OffsetDateTime.MIN;

    private static final String SAMPLE = "SELECT statement_timestamp(), " + ServerStart.EXPRESSION
            + ", virtualtransaction FROM (VALUES (1)) AS one LEFT JOIN pg_locks"
            + " ON locktype = 'relation' AND relation = CAST(? AS regclass) AND mode = 'RowExclusiveLock'"
            + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

    private static final String RECORD = "INSERT INTO {fbf}.fbf_horizon (entered_before, ended_by)"
            + " VALUES (?, clock_timestamp()) ON CONFLICT DO NOTHING";

    // every second one, so that a neighbor of a dropped record stays
    private static final String THIN = """
            DELETE FROM {fbf}.fbf_horizon WHERE entered_before IN (
              SELECT entered_before FROM (
                SELECT entered_before, ended_by, row_number() OVER records AS number,
                  lead(ended_by) OVER records - lag(ended_by) OVER records AS gap
                FROM {fbf}.fbf_horizon WINDOW records AS (ORDER BY entered_before)) AS record
              WHERE number % 2 = 0 AND gap < (clock_timestamp() - ended_by) / 16)
            """;

    private final FbfSchema schema;

    private @Nullable OffsetDateTime server;
    private OffsetDateTime sampledAt = UNKNOWN;

    /** The writers of the last sample, with the time of the last sample before them. */
    private Map<String, OffsetDateTime> writers = Map.of();

    LedgerHorizon(FbfSchema schema) {
        this.schema = schema;
    }

    /** Takes a sample, in a transaction of its own, and records what it shows. */
    void advance(Connection connection) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            OffsetDateTime oldest = sample(connection);
            if (!oldest.equals(UNKNOWN)) {
                try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, RECORD))) {
                    statement.setObject(1, oldest);
                    statement.executeUpdate();
                }
                try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, THIN))) {
                    statement.executeUpdate();
                }
            }
            transaction.commit();
        }
    }

    /** Returns since when the oldest writer is open at most. */
    private OffsetDateTime sample(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SAMPLE)) {
            statement.setString(1, schema.sql(connection, "{fbf}.fbf_ledger"));
            try (ResultSet locks = statement.executeQuery()) {
                locks.next();
                OffsetDateTime now = locks.getObject(1, OffsetDateTime.class);
                OffsetDateTime start = ServerStart.in(locks, 2);
                if (!Objects.equals(server, start) || now.isBefore(sampledAt)) {
                    server = start;
                    sampledAt = UNKNOWN;
                    writers = Map.of();
                }
                Map<String, OffsetDateTime> open = new HashMap<>();
                do {
                    String writer = locks.getString(3);
                    if (writer != null) {
                        open.put(writer, writers.getOrDefault(writer, sampledAt));
                    }
                } while (locks.next());
                writers = open;
                sampledAt = now;
                return open.isEmpty() ? now : Collections.min(open.values());
            }
        }
    }
}
