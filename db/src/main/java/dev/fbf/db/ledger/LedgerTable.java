package dev.fbf.db.ledger;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Arbiter.Applied;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.Response;
import dev.fbf.db.TransactionOutcome;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Postgres;
import dev.fbf.db.connection.Prelude;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The table {@code fbf_ledger} of operations applied by all nodes: one row each, until it expires.
 *
 * <p>A row's retention begins with the end of its transaction, as the {@linkplain LedgerHorizon horizon} records it in the ledger's own
 * time. No clock that can be set has a part in it. An expired row still refuses its operation until it is
 * {@linkplain LedgerPurge purged}.
 */
final class LedgerTable {

    static final String NAME = "{fbf}.fbf_ledger";

    /*
     * A transaction that inserts an operation holds its advisory lock until the end of the transaction.
     *
     *   lock not got   another transaction is between its insert and its end: no row is touched, no caller waits
     *   lock got       no such transaction: PostgreSQL releases a lock only after it has made the commit visible, so
     *                  the unique key finds a committed row, even one that this statement's snapshot does not see.
     *                  Only a batch (INSERT_ALL) holds no lock: the statement waits for its end
     *   no row         in both cases the rows visible to a second statement decide
     *
     * Under REPEATABLE READ, a row that is committed and not in the snapshot makes the insert fail (40001).
     */
    static final String INSERT = """
            INSERT INTO {fbf}.fbf_ledger (operation, fingerprint, retention, transaction_id)
            SELECT ?, ?, ?, pg_current_xact_id() WHERE pg_try_advisory_xact_lock(?)
            ON CONFLICT DO NOTHING
            """;

    /*
     * Without advisory locks, of which a batch would fill the server's table. The unique key alone decides: the statement waits for the
     * end of another transaction that is entering one of the operations. Batches enter their operations in one order, so that they do not
     * wait for each other in a circle.
     */
    private static final String INSERT_ALL = """
            INSERT INTO {fbf}.fbf_ledger (operation, retention, transaction_id)
            SELECT operation, ?, pg_current_xact_id() FROM unnest(?::uuid[]) AS entry(operation) ORDER BY operation
            ON CONFLICT DO NOTHING RETURNING operation
            """;

    /**
     * Statement that enters an operation. It fails if the operation exists. A null transaction id makes it fail if another transaction is
     * entering the operation.
     */
    private static final String INSERT_OR_FAIL = """
            INSERT INTO {fbf}.fbf_ledger (operation, fingerprint, retention, transaction_id) SELECT ?, ?, ?,
            CASE WHEN pg_try_advisory_xact_lock(?) THEN pg_current_xact_id() END""";

    /**
     * Statement that enters the rows of the CTE {@code entry (operation, low, fingerprint, retention)}, and is itself a CTE. It fails if
     * one of the operations exists; a null transaction id makes it fail if another transaction is entering one. Only the unique key detects
     * duplicates, so the statement may wait for a {@linkplain LedgerPurge purge} that is deleting one, or for a batch that is entering one.
     * In return it never uses a plan that was made for an empty ledger and scans it from end to end.
     */
    private static final String INSERT_ENTRIES_OR_FAIL = """
            INSERT INTO {fbf}.fbf_ledger (operation, fingerprint, retention, transaction_id) SELECT operation, fingerprint, retention,
            CASE WHEN pg_try_advisory_xact_lock(low) THEN pg_current_xact_id() END FROM entry""";

    private static final String TRY_LOCK = "SELECT pg_try_advisory_xact_lock(?)";

    private static final String FIND = "SELECT " + Postgres.START
            + ", fingerprint, NULL, NULL, NULL, NULL, false FROM {fbf}.fbf_ledger WHERE operation = ?";

    /**
     * A response that is older than the operation's row does not belong to it. The response to an operation that is newer than the last but
     * one record of the horizon may be written soon.
     */
    static final String FIND_WITH_RESPONSE = "SELECT " + Postgres.START + """
            , fingerprint, status, headers, ending, body, status IS NULL AND (ledger.transaction_id <
                (SELECT transactions_before FROM {fbf}.fbf_horizon ORDER BY transactions_before DESC LIMIT 1 OFFSET 1)) IS NOT TRUE
            FROM {fbf}.fbf_ledger AS ledger LEFT JOIN {fbf}.fbf_response AS response
              ON response.operation = ledger.operation AND response.transaction_id >= ledger.transaction_id
            WHERE ledger.operation = ?
            """;

    /**
     * Finds operations that exist, with the server's start time, and operations whose advisory locks other transactions hold, with null. A
     * row that a {@linkplain LedgerPurge purge} is deleting does not count. The transaction changes nothing, so its COMMIT need not wait
     * for the disk.
     */
    static final String REFUSED = """
            SELECT entry.operation, CASE WHEN found.operation IS NOT NULL THEN\s""" + Postgres.START + """
             END
            FROM (SELECT set_config('synchronous_commit', 'off', true)) AS unsynced,
              unnest((SELECT ?::uuid[]), (SELECT ?::bigint[])) AS entry(operation, low) LEFT JOIN LATERAL (
                SELECT operation FROM {fbf}.fbf_ledger WHERE operation = entry.operation FOR KEY SHARE SKIP LOCKED) AS found ON true
            WHERE found.operation IS NOT NULL OR NOT pg_try_advisory_xact_lock(low)
            """;

    private static final String CONTAINED =
            "SELECT operation, " + Postgres.START + " FROM {fbf}.fbf_ledger WHERE operation = ANY (?)";

    static final String CONTAINS = "SELECT " + Postgres.START + " FROM {fbf}.fbf_ledger WHERE operation = ?";

    private static final String WRITE =
            "INSERT INTO {fbf}.fbf_ledger (operation, retention, transaction_id) VALUES (?, 0, pg_current_xact_id())";

    private static final String UNDO = "DELETE FROM {fbf}.fbf_ledger WHERE operation = ?";

    private static final Duration MAX_RETENTION = Duration.ofDays(24_000);

    private final FbfSchema schema;

    /*
     * After a crash a server shows commits that its synchronous standby does not have, and the standby may have taken over
     * meanwhile: such a row must not be reported as an applied operation. A COMMIT that writes waits until the standby has
     * all earlier commits, and from then on the server shows no commit that the standby lacks. So one such COMMIT is awaited per
     * server, which is identified by the time of its start.
     */
    private final Set<OffsetDateTime> trusted = ConcurrentHashMap.newKeySet();

    /** Runs when a row is found on a server that is not trusted yet. */
    private volatile Runnable onDistrust = () -> {};

    /**
     * The columns of operations that are entered together.
     *
     * @param operations their ids
     * @param fingerprints the fingerprints of their requests; null for an operation whose request is not compared
     * @param retention the retention of all of them
     */
    record Columns(List<UUID> operations, List<@Nullable Long> fingerprints, Duration retention) {

        /** Sets the parameters after {@code offset}: the retention, and the arrays of ids, lock numbers and fingerprints. */
        int bind(PreparedStatement statement, int offset) throws SQLException {
            Connection connection = statement.getConnection();
            statement.setInt(offset + 1, seconds(retention));
            statement.setArray(offset + 2, connection.createArrayOf("uuid", operations.toArray()));
            statement.setArray(offset + 3, connection.createArrayOf("bigint", locks(operations)));
            statement.setArray(offset + 4, connection.createArrayOf("bigint", fingerprints.toArray(new Long[0])));
            return offset + 4;
        }
    }

    /** Returns the numbers of the operations' advisory locks. */
    private static Long[] locks(List<UUID> operations) {
        return operations.stream().map(UUID::getLeastSignificantBits).toArray(Long[]::new);
    }

    LedgerTable(FbfSchema schema) {
        this.schema = schema;
    }

    /** See {@link Arbiter#check}. */
    void check(Connection connection) throws SQLException {
        schema.check(connection, "{fbf}.fbf_ledger", "SELECT INSERT UPDATE DELETE");
        schema.check(connection, "{fbf}.fbf_horizon", "SELECT INSERT DELETE");
    }

    /**
     * Enters an operation in the caller's transaction, unless it exists. Leaves the transaction usable, except after an exception. Waits
     * only for a {@linkplain LedgerPurge purge} that is deleting the operation, or a {@linkplain #insertAll batch} that is entering it.
     *
     * <p>Takes PostgreSQL's transaction-level advisory lock whose number is the operation's 64 least significant bits, and keeps it until
     * the transaction ends. Two operations with the same bits exclude each other: while one is being entered, the other counts as
     * in progress.
     *
     * @return null if it was entered, and is applied if the transaction commits; {@link Refusal#APPLIED} if it exists; {@link
     *     Refusal#IN_PROGRESS} if another transaction is entering it and may commit, or it exists on a server that is not trusted yet
     * @throws IllegalStateException if the connection is in autocommit
     * @throws SQLException if another transaction entered the operation since this one began and its isolation is REPEATABLE READ or above
     *     (SQL state 40001), or the database cannot be reached
     */
    @Nullable Refusal insert(Connection connection, UUID operation, @Nullable Long fingerprint, Duration retention)
            throws SQLException {
        int seconds = seconds(retention);
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "autoCommit=true: must be called within the transaction that applies the operation");
        }
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, INSERT))) {
            statement.setObject(1, operation);
            statement.setObject(2, fingerprint, Types.BIGINT);
            statement.setInt(3, seconds);
            statement.setLong(4, operation.getLeastSignificantBits());
            if (statement.executeUpdate() == 1) {
                return null;
            }
        } catch (SQLException e) {
            throw SqlFailures.explained(e, "fbf_ledger");
        }
        return contains(connection, operation) ? Refusal.APPLIED : Refusal.IN_PROGRESS;
    }

    /**
     * Enters new operations in the caller's transaction. Waits for transactions that are entering or purging one of the operations.
     *
     * @return the operations that were entered
     * @throws SQLException as {@link #insert}
     */
    Set<UUID> insertAll(Connection connection, Collection<UUID> operations, Duration retention) throws SQLException {
        Set<UUID> entered = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, INSERT_ALL))) {
            statement.setInt(1, seconds(retention));
            statement.setArray(2, connection.createArrayOf("uuid", operations.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    entered.add(rows.getObject(1, UUID.class));
                }
            }
        } catch (SQLException e) {
            throw SqlFailures.explained(e, "fbf_ledger");
        }
        return entered;
    }

    /**
     * Creates a prelude that enters an operation as {@link #insert} does, but together with the caller's next statement. If the prelude
     * fails, that statement is not executed, the transaction must roll back, and {@link #settle} finds the operation's outcome.
     */
    Prelude prelude(Connection connection, UUID operation, @Nullable Long fingerprint, Duration retention)
            throws SQLException {
        int seconds = seconds(retention);
        return new Prelude(schema.find(connection), "fbf_ledger", schema.sql(INSERT_OR_FAIL), statement -> {
            statement.setObject(1, operation);
            statement.setObject(2, fingerprint, Types.BIGINT);
            statement.setInt(3, seconds);
            statement.setLong(4, operation.getLeastSignificantBits());
            return 4;
        });
    }

    /** Registers a listener for rows found on a server that is not trusted yet and must be {@linkplain #trust trusted} soon. */
    void onDistrust(Runnable listener) {
        onDistrust = listener;
    }

    /**
     * Trusts a server's rows from now on, after its synchronous standbys, if any, have them. Only the connection's own timeout limits
     * the wait for the standbys. The connection must not have an open transaction.
     */
    void trust(Connection connection) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            OffsetDateTime server = write(connection);
            transaction.commit();
            trusted.add(server);
        }
    }

    /** Writes without leaving a row; returns the start time of the server. */
    private OffsetDateTime write(Connection connection) throws SQLException {
        UUID none = UUID.randomUUID();
        for (String sql : List.of(WRITE, UNDO)) {
            try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, sql))) {
                statement.setObject(1, none);
                statement.executeUpdate();
            }
        }
        return Postgres.start(connection);
    }

    /**
     * Returns whether the operation was applied, by a committed transaction or the caller's own. False on a server that is not trusted yet.
     */
    boolean contains(Connection connection, UUID operation) throws SQLException {
        OffsetDateTime server = serverOf(connection, operation);
        return server != null && isTrusted(server);
    }

    /** Returns the start time of the server that has the operation's row; null if the row does not exist. */
    private @Nullable OffsetDateTime serverOf(Connection connection, UUID operation) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, CONTAINS))) {
            statement.setObject(1, operation);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Postgres.start(rows, 1) : null;
            }
        }
    }

    private boolean isTrusted(OffsetDateTime server) {
        boolean isTrusted = trusted.contains(server);
        if (!isTrusted) {
            onDistrust.run();
        }
        return isTrusted;
    }

    /**
     * Returns the CTEs that enter operations, and that fail if one exists or another transaction is entering it. {@link Columns#bind} sets
     * their parameters.
     */
    String entering() {
        return "entry AS (SELECT operation, low, fingerprint, (SELECT ?::integer) AS retention"
                + " FROM unnest((SELECT ?::uuid[]), (SELECT ?::bigint[]), (SELECT ?::bigint[]))"
                + " AS entry(operation, low, fingerprint)), entered AS (" + schema.sql(INSERT_ENTRIES_OR_FAIL) + ")";
    }

    /** Returns the operations that were applied, as {@link #contains} does. */
    Set<UUID> containedOf(Connection connection, List<UUID> operations) throws SQLException {
        Set<UUID> contained = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, CONTAINED))) {
            statement.setArray(1, connection.createArrayOf("uuid", operations.toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (isTrusted(Postgres.start(rows, 2))) {
                        contained.add(rows.getObject(1, UUID.class));
                    }
                }
            }
        }
        return contained;
    }

    /**
     * Returns the query for operations that cannot be entered now.
     *
     * @param refusals receives their refusals, as {@link #insert} returns them
     */
    CounterTable.Query refusing(List<UUID> operations, Map<UUID, Refusal> refusals) {
        return new CounterTable.Query(
                schema.sql(REFUSED),
                statement -> {
                    Connection connection = statement.getConnection();
                    statement.setArray(1, connection.createArrayOf("uuid", operations.toArray()));
                    statement.setArray(2, connection.createArrayOf("bigint", locks(operations)));
                    return 2;
                },
                row -> {
                    OffsetDateTime server = Postgres.start(row, 2);
                    return refusals.put(
                            row.getObject(1, UUID.class),
                            server != null && isTrusted(server) ? Refusal.APPLIED : Refusal.IN_PROGRESS);
                });
    }

    /**
     * Returns the details of an applied operation; null if it was not applied, or the server is not trusted yet.
     *
     * @param withResponse whether to read its response
     */
    @Nullable Applied find(Connection connection, UUID operation, boolean withResponse) throws SQLException {
        String template = withResponse ? FIND_WITH_RESPONSE : FIND;
        try (PreparedStatement statement = connection.prepareStatement(schema.sql(connection, template))) {
            statement.setObject(1, operation);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && isTrusted(Postgres.start(rows, 1))
                        ? new Applied(rows.getObject(2, Long.class), response(operation, rows), rows.getBoolean(7))
                        : null;
            }
        }
    }

    private static @Nullable Response response(UUID operation, ResultSet rows) throws SQLException {
        String ending = rows.getString(5);
        return ending == null
                ? null
                : new Response(
                        operation,
                        rows.getInt(3),
                        rows.getString(4),
                        Response.Ending.valueOf(ending),
                        rows.getBytes(6));
    }

    /**
     * Returns the outcome of the transaction that has entered the operation; never {@link TransactionOutcome#UNKNOWN}. A running
     * {@linkplain #insertAll batch} counts as not committed, because it holds no lock. If a server that is not trusted yet has the row,
     * waits for its synchronous standbys, and trusts it afterwards. Requires a separate connection without an open transaction.
     */
    TransactionOutcome settle(Connection connection, UUID operation) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            boolean ended = tryLock(connection, operation);
            // a separate statement sees the rows committed before the lock was acquired
            OffsetDateTime server = serverOf(connection, operation);
            if (server != null && !trusted.contains(server)) {
                write(connection);
            }
            transaction.commit();
            if (server != null) {
                trusted.add(server);
                return TransactionOutcome.COMMITTED;
            }
            return ended ? TransactionOutcome.NOT_COMMITTED : TransactionOutcome.STILL_RUNNING;
        }
    }

    private static boolean tryLock(Connection connection, UUID operation) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TRY_LOCK)) {
            statement.setLong(1, operation.getLeastSignificantBits());
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getBoolean(1);
            }
        }
    }

    /** Returns the retention in seconds, rounded up. */
    static int seconds(Duration retention) {
        if (retention.isNegative() || retention.isZero() || retention.compareTo(MAX_RETENTION) > 0) {
            throw new IllegalArgumentException("retention=" + retention + ": must be from 1 ms to 24,000 days");
        }
        return Math.toIntExact(retention.plusSeconds(1).minusNanos(1).toSeconds());
    }
}
