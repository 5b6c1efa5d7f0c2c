package dev.fbf.db.dialect;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRow;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.group.GroupCommit;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The ledger in PostgreSQL.
 *
 * <p>A row's retention begins with the end of its transaction, as the {@linkplain LedgerHorizon horizon} records it in the ledger's own
 * time. No clock that can be set has a part in it. An expired row still refuses its operation until it is
 * {@linkplain LedgerPurge purged}.
 */
final class PostgresLedger implements Ledger {

    static final String NAME = "{fbf}.fbf_ledger";
    static final String RESPONSES = "{fbf}.fbf_response";

    /*
     * A transaction that inserts an operation first holds its advisory lock until its end.
     *
     *   lock not got   another transaction is between its insert and its end: no row is touched, no caller waits
     *   lock got       no such transaction: PostgreSQL releases a lock only after it has made the commit visible, so
     *                  the unique key finds a committed row, even one that this statement's snapshot does not see.
     *                  Only a batch (INSERT_ALL) and a row with COMMIT (INSERT_LAST) hold no lock: the statement waits for their end
     *   no row         in both cases the rows visible to a second statement decide
     *
     * Within a caller's transaction the statement must not fail, because the caller's work would be lost. ON CONFLICT costs a record in the
     * log and a fifth of the statement's time, so a transaction without other work asks for the row and inserts it. It fails only if
     * another transaction has committed the row since.
     *
     * Under REPEATABLE READ, a row that is committed and not in the snapshot makes the insert fail (40001).
     */
    static final String INSERT = """
            INSERT INTO {fbf}.fbf_ledger (operation, fingerprint, retention, transaction_id)
            SELECT ?, ?, ?, pg_current_xact_id() WHERE pg_try_advisory_xact_lock(?)
            ON CONFLICT DO NOTHING RETURNING transaction_id
            """;

    static final String INSERT_ALONE = """
            INSERT INTO {fbf}.fbf_ledger (operation, fingerprint, retention, transaction_id)
            SELECT ?, ?, ?, pg_current_xact_id() WHERE pg_try_advisory_xact_lock(?)
              AND NOT EXISTS (SELECT FROM {fbf}.fbf_ledger WHERE operation = ?)
            RETURNING transaction_id
            """;

    /** Statement that enters an operation before COMMIT. It waits for other transactions that are entering it, and fails if it exists. */
    private static final String INSERT_LAST = """
            INSERT INTO {fbf}.fbf_ledger (operation, fingerprint, retention, transaction_id)
            VALUES (?, ?, ?, pg_current_xact_id())""";

    private static final String INSERT_LAST_AND_COMMIT = INSERT_LAST + "; COMMIT";

    private static final String ENDED = "fbf: the transaction was ended";

    /**
     * COMMIT that fails if the caller has ended the transaction on the connection, and changed something since: each retry would repeat
     * that. Reads no table.
     */
    private static final String COMMIT_IF_SAME = "SELECT CAST(CASE WHEN pg_current_xact_id_if_assigned() = ? THEN '1'"
            + " WHEN pg_current_xact_id_if_assigned() IS NULL THEN '0' ELSE '" + ENDED + "' END AS integer); COMMIT";

    /*
     * Without advisory locks, of which a batch would fill the server's table. The unique key alone decides: the statement waits for the
     * end of another transaction that is entering one of the operations. Batches enter their operations in one order, so that they do not
     * wait for each other in a circle.
     */
    private static final String INSERT_ALL = """
            INSERT INTO {fbf}.fbf_ledger (operation, retention, transaction_id)
            SELECT operation, ?, pg_current_xact_id() FROM unnest(?::uuid[]) AS entry(operation) ORDER BY operation
            ON CONFLICT DO NOTHING RETURNING operation, transaction_id
            """;

    /**
     * Statement that enters the rows of the CTE {@code entry (operation, low, fingerprint, retention)}, and is itself a CTE. It fails if
     * one of the operations exists; a null transaction id makes it fail if another transaction is entering one. Only the unique key detects
     * duplicates, so the statement may wait for a {@linkplain LedgerPurge purge} that is deleting one, or for a batch that is entering one.
     * In return it never uses a plan that was made for an empty ledger and scans it from end to end.
     */
    private static final String INSERT_ENTRIES_OR_FAIL = """
            INSERT INTO {fbf}.fbf_ledger (operation, fingerprint, retention, transaction_id) SELECT operation, fingerprint, retention,
            CASE WHEN pg_try_advisory_xact_lock(low) THEN pg_current_xact_id() END FROM entry""";

    /**
     * Query of an operation's row.
     *
     * @param plain its SQL without the backend's start
     */
    record Find(String plain, String byBackend) {

        Find(String row) {
            this("SELECT " + Trust.SERVER + row, "SELECT " + Trust.COLUMNS + row);
        }
    }

    private static final Find FIND =
            new Find(", fingerprint, NULL, NULL, NULL, false FROM {fbf}.fbf_ledger WHERE operation = ?");

    private static final Find FIND_WITH_VALUE =
            new Find(", fingerprint, NULL, NULL, NULL, false, ({value}) FROM {fbf}.fbf_ledger WHERE operation = ?");

    /**
     * A response that is older than the operation's row does not belong to it. The response to an operation may be written soon, unless
     * thousands of transactions have begun since.
     */
    static final Find FIND_WITH_RESPONSE = new Find("""
            , fingerprint, status, headers, body, status IS NULL AND age(ledger.xmin) < 10000
            FROM {fbf}.fbf_ledger AS ledger LEFT JOIN {fbf}.fbf_response AS response
              ON response.operation = ledger.operation AND response.transaction_id >= ledger.transaction_id
            WHERE ledger.operation = ?
            """);

    private static final String FORGET = """
            WITH forgotten AS (DELETE FROM {fbf}.fbf_response WHERE operation = ?)
            DELETE FROM {fbf}.fbf_ledger WHERE operation = ?
            """;

    private static final String CONTAINED =
            "SELECT " + Trust.COLUMNS + ", operation FROM {fbf}.fbf_ledger WHERE operation = ANY (?)";

    static final String CONTAINS = "SELECT " + Trust.COLUMNS + " FROM {fbf}.fbf_ledger WHERE operation = ?";

    // The WHERE clause is always true and is evaluated once. The ledger is read only if the operation already has a
    // response. That response stays, unless the operation was entered after it: then it belongs to a transaction that
    // did not commit, or to an expired operation.
    private static final String KEEP = """
            INSERT INTO {fbf}.fbf_response AS known (operation, retention, status, headers, body, transaction_id)
            SELECT response.*, pg_current_xact_id()
            FROM unnest(?::uuid[], ?::integer[], ?::smallint[], ?::text[], ?::bytea[]) AS response
            WHERE (SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL
            ON CONFLICT (operation) DO UPDATE SET (retention, status, headers, body, transaction_id)
              = (excluded.retention, excluded.status, excluded.headers, excluded.body, excluded.transaction_id)
            WHERE known.transaction_id <
              (SELECT ledger.transaction_id FROM {fbf}.fbf_ledger AS ledger WHERE ledger.operation = excluded.operation)
            """;

    private final Tables tables;
    private final Trust trust = new Trust();
    private final LedgerPurge purge;

    PostgresLedger(Tables tables) {
        this.tables = tables;
        purge = new LedgerPurge(
                new LedgerHorizon(tables), new ExpiringRows(tables, NAME), new ExpiringRows(tables, RESPONSES));
    }

    @Override
    public void check(Connection connection, boolean withResponses) throws SQLException {
        List<String> names =
                withResponses ? List.of(NAME, LedgerHorizon.NAME, RESPONSES) : List.of(NAME, LedgerHorizon.NAME);
        for (String name : names) {
            PostgresDialect.INSTANCE.check(connection, tables.sql(name), "SELECT INSERT UPDATE DELETE");
        }
    }

    /**
     * Enters an operation in the caller's transaction, unless it exists. Waits only for a {@linkplain LedgerPurge purge} that is deleting
     * the operation, or a transaction that is entering it in a {@linkplain #insertAll batch} or {@linkplain #finish last}.
     *
     * <p>Takes PostgreSQL's transaction-level advisory lock whose number is the operation's 64 least significant bits, and keeps it until
     * the transaction ends. Two operations with the same bits exclude each other: while one is being entered, the other counts as
     * in progress.
     */
    @Override
    public Entry insert(Connection connection, Claim claim, @Nullable String transaction, boolean alone)
            throws SQLException {
        Ledger.requireTransaction(connection);
        UUID operation = claim.id().toUuid();
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(alone ? INSERT_ALONE : INSERT))) {
            bind(statement, claim);
            statement.setLong(4, operation.getLeastSignificantBits());
            if (alone) {
                statement.setObject(5, operation);
            }
            try (ResultSet rows = statement.executeQuery()) {
                if (rows.next()) {
                    return new Entry(null, rows.getString(1));
                }
            }
        } catch (SQLException e) {
            if (alone && SqlFailures.isOfRowIn("fbf_ledger", e)) {
                // the other transaction has ended, and this one has no changes to lose
                return new Entry(Refusal.IN_PROGRESS, null);
            }
            throw e;
        }
        return new Entry(contains(connection, operation) ? Refusal.APPLIED : Refusal.IN_PROGRESS, null);
    }

    private static void bind(PreparedStatement statement, Claim claim) throws SQLException {
        statement.setObject(1, claim.id().toUuid());
        statement.setObject(2, claim.fingerprint(), Types.BIGINT);
        statement.setInt(3, seconds(claim.retryWindow()));
    }

    @Override
    public Map<Claim, Entry> insertAll(Connection connection, List<Claim> claims, @Nullable String transaction)
            throws SQLException {
        Map<UUID, Claim> others = new HashMap<>();
        claims.forEach(claim -> others.put(claim.id().toUuid(), claim));
        Map<Claim, Entry> entries = new HashMap<>();
        Sql.Reader<Object> reader = row -> entries.put(
                requireNonNull(others.remove(row.getObject(1, UUID.class))), new Entry(null, row.getString(2)));
        int retention = claims.stream()
                .mapToInt(claim -> seconds(claim.retryWindow()))
                .max()
                .orElseThrow();
        Object ids = connection.createArrayOf("uuid", others.keySet().toArray());
        Sql.rows(connection, tables.sql(INSERT_ALL), reader, retention, ids);
        Set<UUID> applied = others.isEmpty() ? Set.of() : containedOf(connection, others.keySet());
        others.forEach((id, claim) ->
                entries.put(claim, new Entry(applied.contains(id) ? Refusal.APPLIED : Refusal.IN_PROGRESS, null)));
        return entries;
    }

    @Override
    public boolean entersLast() {
        return true;
    }

    @Override
    public boolean finish(
            Connection connection, UUID first, @Nullable String transaction, @Nullable Claim last, boolean commit)
            throws SQLException {
        if (last == null) {
            return !commit || commit(connection, first, requireNonNull(transaction));
        }
        try (PreparedStatement statement =
                connection.prepareStatement(tables.sql(commit ? INSERT_LAST_AND_COMMIT : INSERT_LAST))) {
            bind(statement, last);
            statement.execute();
            SqlFailures.requireReplicated(statement.getWarnings());
            return true;
        }
    }

    private boolean commit(Connection connection, UUID first, String transaction) throws SQLException {
        boolean isSame;
        try (PreparedStatement statement = connection.prepareStatement(COMMIT_IF_SAME)) {
            statement.setObject(1, transaction, Types.OTHER);
            statement.execute(); // executeQuery() would refuse the second result
            SqlFailures.requireReplicated(statement.getWarnings());
            ResultSet rows = statement.getResultSet();
            rows.next();
            isSame = rows.getInt(1) == 1;
        } catch (SQLException e) {
            if (String.valueOf(e.getMessage()).contains(ENDED)) {
                return false;
            }
            throw e;
        }
        return isSame || exists(connection, first); // the caller's own COMMIT
    }

    @Override
    public boolean exists(Connection connection, UUID operation) throws SQLException {
        return Sql.find(connection, tables.sql(CONTAINS), row -> true, operation) != null;
    }

    /**
     * Returns whether the operation was applied, by a committed transaction or the caller's own. False on a server that is not trusted yet.
     */
    private boolean contains(Connection connection, UUID operation) throws SQLException {
        return Boolean.TRUE.equals(
                Sql.find(connection, tables.sql(CONTAINS), row -> trust.covers(Trust.Backend.of(row, 1)), operation));
    }

    /**
     * Returns the CTEs that enter operations, and that fail if one exists or another transaction is entering it. Their parameters are the
     * retention, and the arrays of ids, numbers of advisory locks and fingerprints.
     */
    String entering() {
        return "entry AS (SELECT operation, low, fingerprint, (SELECT ?::integer) AS retention"
                + " FROM unnest((SELECT ?::uuid[]), (SELECT ?::bigint[]), (SELECT ?::bigint[]))"
                + " AS entry(operation, low, fingerprint)), entered AS (" + tables.sql(INSERT_ENTRIES_OR_FAIL) + ")";
    }

    /**
     * Returns the operations that were applied, by committed transactions or the caller's own. On a server that is not trusted yet, the
     * caller's COMMIT waits until its standbys have them.
     */
    Set<UUID> containedOf(Connection connection, Collection<UUID> operations) throws SQLException {
        Set<UUID> contained = new HashSet<>();
        Sql.Reader<Boolean> reader = row -> {
            contained.add(row.getObject(3, UUID.class));
            return trust.covers(Trust.Backend.of(row, 1));
        };
        Object ids = connection.createArrayOf("uuid", operations.toArray());
        if (Sql.rows(connection, tables.sql(CONTAINED), reader, ids).contains(false)) {
            Trust.write(connection);
        }
        return contained;
    }

    @Override
    public @Nullable Found find(
            Connection connection, UUID operation, boolean withResponse, @Nullable CounterRow counter)
            throws SQLException {
        Find find = counter != null ? FIND_WITH_VALUE : withResponse ? FIND_WITH_RESPONSE : FIND;
        if (!trust.isNeeded()) {
            Found found = find(connection, find.plain, operation, counter);
            if (found == null || found.backend() == null) {
                return found;
            }
        }
        return find(connection, find.byBackend, operation, counter);
    }

    private @Nullable Found find(Connection connection, String template, UUID operation, @Nullable CounterRow counter)
            throws SQLException {
        Sql.Reader<Found> reader = row -> {
            String headers = row.getString(5);
            Response response =
                    headers == null ? null : new Response(operation, row.getInt(4), headers, row.getBytes(6));
            Long value = counter == null ? null : row.getObject(8, Long.class);
            return new Found(
                    row.getObject(3, Long.class), response, row.getBoolean(7), value, Trust.Backend.of(row, 1));
        };
        String sql = tables.sql(template);
        if (counter == null) {
            return Sql.find(connection, sql, reader, operation);
        }
        CounterTable table = (CounterTable) counter.table();
        sql = sql.replace("{value}", table.sql().readingOne());
        return Sql.find(connection, sql, reader, table.canonical(counter.counter()), operation);
    }

    @Override
    public void forget(Connection connection, UUID operation) throws SQLException {
        Sql.update(connection, tables.sql(FORGET), operation, operation);
    }

    @Override
    public boolean trusts(Found row) {
        return trust.covers(row.backend());
    }

    @Override
    public void prove(Connection connection) throws SQLException {
        trust.prove(connection);
    }

    /** Does not wait for the disk. */
    @Override
    public void keep(Connection connection, List<Kept> responses) throws SQLException {
        List<Response> contents = responses.stream().map(Kept::response).toList();
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            // the driver sends arrays of these types in binary, and others as text
            Sql.update(
                    connection,
                    tables.sql(KEEP),
                    array(connection, "uuid", contents, Response::operation, UUID[]::new),
                    array(connection, "integer", responses, kept -> seconds(kept.retention()), Integer[]::new),
                    array(connection, "smallint", contents, content -> (short) content.status(), Short[]::new),
                    array(connection, "text", contents, Response::headers, String[]::new),
                    array(connection, "bytea", contents, Response::body, byte[][]::new));
            transaction.commit();
        }
    }

    private static <R, T> Array array(
            Connection connection, String type, List<R> rows, Function<R, T> column, IntFunction<T[]> array)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray(array));
    }

    @Override
    public int purge(Connection connection, BooleanSupplier stop) throws SQLException {
        return purge.round(connection, stop);
    }

    @Override
    public GroupCommit.Applier group(CounterRows counters) {
        return new LedgerGroup((CounterTable) counters, this);
    }

    /** Returns the retention in seconds, rounded up. */
    static int seconds(Duration retention) {
        return Math.toIntExact(retention.plusSeconds(1).minusNanos(1).toSeconds());
    }
}
