package dev.fbf.db.dialect;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.group.GroupCommit;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The ledger in databases with standard SQL. */
final class StandardLedger implements Ledger {

    /*
     * The unique key decides. A failed INSERT undoes nothing else in these databases, so the statement may fail within a caller's
     * transaction:
     *
     *   duplicate      a committed row, or this transaction's own. The key sees committed rows that a snapshot does not, so no look-up
     *                  follows, and REPEATABLE READ makes no difference
     *   lock timeout   another transaction has inserted the row, or is deleting it, and has not ended
     *
     * The second is an error at once, because the statement is told not to wait: a client gets 409 while the first request runs at another
     * node. SELECT … FOR UPDATE NOWAIT would lock the gap where the row is missing, so that two requests could not insert their rows.
     *
     * A duplicate leaves the row, and in REPEATABLE READ the gap before it, locked until the transaction ends: other operations would be in
     * progress for no reason. So a transaction that goes on after a duplicate looks for the row before.
     *
     * A deadlock undoes the whole transaction, and a caller that catches the exception goes on in a new one without noticing. So the row
     * is looked for before COMMIT, in MariaDB in one message with it. It has a random number of its transaction: a retry at another node
     * may have entered the operation since.
     *
     * Times are the database's. A row's retention begins when it is inserted, and its transaction may end later: MARGIN covers that.
     */

    /** The longest duration of a transaction. */
    private static final Duration MARGIN = Duration.ofHours(1);

    /** The time in seconds after which a missing response is not awaited. */
    private static final int AWAITED = 10;

    private static final String NOT_INTACT = "25F0F";

    private static final int PURGED_AT_ONCE = 1_000;

    private final StandardDialect dialect;
    private final Tables tables;
    private final String insert;
    private final String find;
    private final String row;
    private final String exists;
    private final String isIntact;
    private final String appliedBy;
    private final String keep;
    private final String keepInstead;

    StandardLedger(StandardDialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
        String now = dialect.now();
        insert = tables.sql(
                "INSERT INTO {fbf}.fbf_ledger (operation, transaction_id, fingerprint, entered_at, expires_at)"
                        + " VALUES (?, ?, ?, " + now + ", " + now + " + ?)");
        row = tables.sql("SELECT 1 FROM {fbf}.fbf_ledger WHERE operation = ");
        exists = row + "?";
        appliedBy = tables.sql("SELECT entered_at FROM {fbf}.fbf_ledger WHERE operation = ?");
        isIntact = exists + " AND transaction_id = ?";
        find = tables.sql("SELECT fingerprint, status, headers, body, CASE WHEN status IS NULL AND entered_at > " + now
                + " - " + AWAITED + " THEN 1 ELSE 0 END FROM {fbf}.fbf_ledger ledger"
                + " LEFT JOIN {fbf}.fbf_response response ON response.operation = ledger.operation"
                + " AND written_at >= entered_at WHERE ledger.operation = ?");
        keep = tables.sql("INSERT INTO {fbf}.fbf_response (status, headers, body, expires_at, operation, written_at)"
                + " VALUES (?, ?, ?, " + now + " + ?, ?, " + now + ")");
        keepInstead = tables.sql("UPDATE {fbf}.fbf_response SET status = ?, headers = ?, body = ?, expires_at = " + now
                + " + ?, written_at = " + now + " WHERE operation = ? AND written_at <"
                + " (SELECT entered_at FROM {fbf}.fbf_ledger WHERE operation = ?)");
    }

    @Override
    public void check(Connection connection, boolean withResponses) throws SQLException {
        dialect.check(connection, tables.sql("{fbf}.fbf_ledger"), "SELECT INSERT DELETE");
        if (withResponses) {
            dialect.check(connection, tables.sql("{fbf}.fbf_response"), "SELECT INSERT UPDATE DELETE");
        }
    }

    @Override
    public @Nullable LastStatement lastStatement() {
        return null;
    }

    @Override
    public Entry insert(
            Connection connection,
            UUID operation,
            @Nullable Long fingerprint,
            Duration retention,
            @Nullable String transaction,
            boolean alone)
            throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException(
                    "autoCommit=true: must be called within the transaction that applies the operation");
        }
        if (!alone && exists(connection, operation)) {
            return new Entry(Refusal.APPLIED, null);
        }
        String its =
                transaction == null ? Long.toString(ThreadLocalRandom.current().nextLong()) : transaction;
        try {
            dialect.impatience()
                    .update(connection, insert, bytes(operation), Long.valueOf(its), fingerprint, kept(retention));
            return new Entry(null, its);
        } catch (SQLException e) {
            SQLException failure = dialect.translated(e);
            if (SqlFailures.UNIQUE_VIOLATION.equals(failure.getSQLState())) {
                return new Entry(Refusal.APPLIED, null);
            }
            if (SqlFailures.isOfLocks(failure)) {
                return new Entry(Refusal.IN_PROGRESS, null);
            }
            throw failure;
        }
    }

    private static long kept(Duration retention) {
        return PostgresLedger.seconds(retention) + MARGIN.toSeconds();
    }

    private static byte[] bytes(UUID operation) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(operation.getMostSignificantBits())
                .putLong(operation.getLeastSignificantBits())
                .array();
    }

    @Override
    public Map<UUID, Entry> insertAll(
            Connection connection, Collection<UUID> operations, Duration retention, @Nullable String transaction)
            throws SQLException {
        Map<UUID, Entry> entries = new HashMap<>();
        String its = transaction;
        for (UUID operation : operations) {
            Entry entry = insert(connection, operation, null, retention, its, false);
            its = entry.transaction() == null ? its : entry.transaction();
            entries.put(operation, entry);
        }
        return entries;
    }

    @Override
    public boolean exists(Connection connection, UUID operation) throws SQLException {
        return read(connection, exists, row -> true, bytes(operation)) != null;
    }

    @Override
    public @Nullable Instant appliedBy(Connection connection, UUID operation) throws SQLException {
        return read(connection, appliedBy, row -> Instant.ofEpochSecond(row.getLong(1)), bytes(operation));
    }

    @Override
    public void forget(Connection connection, UUID operation) throws SQLException {
        for (String table : List.of("fbf_response", "fbf_ledger")) {
            Sql.update(connection, tables.sql("DELETE FROM {fbf}." + table + " WHERE operation = ?"), bytes(operation));
        }
    }

    @Override
    public boolean isIntact(Connection connection, UUID operation, String transaction) throws SQLException {
        return read(connection, isIntact, row -> true, bytes(operation), Long.valueOf(transaction)) != null;
    }

    @Override
    public boolean commitsIntact() {
        return dialect.hasCompoundStatements();
    }

    /** Without parameters: compound statements have none at the server, where a driver may prepare them. */
    @Override
    public boolean commitIntact(Connection connection, UUID operation, String transaction) throws SQLException {
        String its = row + "x'" + HexFormat.of().formatHex(bytes(operation)) + "' AND transaction_id = " + transaction;
        try {
            Sql.update(
                    connection,
                    "IF EXISTS (" + its + ") THEN COMMIT; ELSE SIGNAL SQLSTATE '" + NOT_INTACT + "'; END IF");
            return true;
        } catch (SQLException e) {
            if (NOT_INTACT.equals(e.getSQLState())) {
                return false;
            }
            throw dialect.translated(e);
        }
    }

    @Override
    public @Nullable Found find(Connection connection, UUID operation, boolean withResponse) throws SQLException {
        return read(connection, find, StandardLedger::found, bytes(operation));
    }

    private <T> @Nullable T read(Connection connection, String sql, Sql.Reader<T> reader, Object... parameters)
            throws SQLException {
        try {
            return Sql.find(connection, sql, reader, parameters);
        } catch (SQLException e) {
            throw dialect.translated(e);
        }
    }

    private static Found found(ResultSet row) throws SQLException {
        String headers = row.getString(3);
        Answer answer = headers == null ? null : new Answer(row.getInt(2), headers, row.getBytes(4));
        long fingerprint = row.getLong(1);
        return new Found(row.wasNull() ? null : fingerprint, answer, row.getBoolean(5), null);
    }

    @Override
    public boolean trusts(Found row) {
        return true;
    }

    @Override
    public void prove(Connection connection) {}

    @Override
    public void keep(Connection connection, List<Kept> responses) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
            for (Kept kept : responses) {
                keep(connection, kept);
            }
            transaction.commit();
        } catch (SQLException e) {
            throw dialect.translated(e);
        }
    }

    private void keep(Connection connection, Kept kept) throws SQLException {
        Answer answer = kept.answer();
        byte[] operation = bytes(kept.operation());
        List<Object> parameters = new ArrayList<>(
                List.of(answer.status(), answer.headers(), answer.body(), kept(kept.retention()), operation));
        try {
            Sql.update(connection, keep, parameters.toArray());
        } catch (SQLException e) {
            if (!SqlFailures.UNIQUE_VIOLATION.equals(dialect.translated(e).getSQLState())) {
                throw e;
            }
            parameters.add(operation);
            Sql.update(connection, keepInstead, parameters.toArray());
        }
    }

    /** READ COMMITTED: otherwise the statement would lock the gaps between the rows, too. */
    @Override
    public int purge(Connection connection, BooleanSupplier stop) throws SQLException {
        int isolation = connection.getTransactionIsolation();
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        try {
            return purge(connection, "fbf_ledger", stop) + purge(connection, "fbf_response", stop);
        } catch (SQLException e) {
            throw dialect.translated(e);
        } finally {
            if (!connection.isClosed()) {
                connection.setTransactionIsolation(isolation);
            }
        }
    }

    private int purge(Connection connection, String table, BooleanSupplier stop) throws SQLException {
        String sql = tables.sql(
                "DELETE FROM {fbf}." + table + " WHERE expires_at < " + dialect.now() + " LIMIT " + PURGED_AT_ONCE);
        int all = 0;
        int purged;
        do {
            try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
                purged = dialect.impatience().update(connection, sql);
                transaction.commit();
            } catch (SQLException e) {
                if (!SqlFailures.isOfLocks(dialect.translated(e))) {
                    throw e;
                }
                purged = 0; // another node is purging, or a transaction has found one of the rows
            }
            all += purged;
        } while (purged == PURGED_AT_ONCE && !stop.getAsBoolean());
        return all;
    }

    @Override
    public GroupCommit.Applier group(CounterRows counters) {
        return new StandardGroup(dialect, counters, this);
    }
}
