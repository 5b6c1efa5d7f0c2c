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
import dev.fbf.db.group.GroupedIncrement;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
     * is looked for before COMMIT. It has a random number of its transaction: a retry at another node may have entered the operation since.
     *
     * Times are the database's. A row's retention begins when it is inserted, and its transaction may end later: MARGIN covers that.
     */

    /** The longest duration of a transaction. */
    private static final Duration MARGIN = Duration.ofHours(1);

    /** The time that a group waits for a locked row. */
    private static final Duration BRIEF = Duration.ofMillis(250);

    /** Otherwise the purge would lock the gaps between the rows, too. */
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private static final int PURGED_AT_ONCE = 1_000;

    private static final String INSERT = """
            INSERT INTO {fbf}.fbf_ledger (operation, transaction_id, fingerprint, entered_at, expires_at)
            VALUES (?, ?, ?, {now}, {now} + ?)""";

    private static final String ENTERED = "SELECT entered_at FROM {fbf}.fbf_ledger WHERE operation = ?";

    private static final String IS_INTACT = "SELECT 1 FROM {fbf}.fbf_ledger WHERE operation = ? AND transaction_id = ?";

    /** A missing response is awaited for ten seconds. */
    private static final String FIND = """
            SELECT fingerprint, status, headers, body, CASE WHEN status IS NULL AND entered_at > {now} - 10 THEN 1 ELSE 0 END
            FROM {fbf}.fbf_ledger ledger LEFT JOIN {fbf}.fbf_response response
              ON response.operation = ledger.operation AND written_at >= entered_at
            WHERE ledger.operation = ?
            """;

    private static final String KEEP = """
            INSERT INTO {fbf}.fbf_response (status, headers, body, expires_at, operation, written_at)
            VALUES (?, ?, ?, {now} + ?, ?, {now})""";

    private static final String KEEP_INSTEAD = """
            UPDATE {fbf}.fbf_response SET status = ?, headers = ?, body = ?, expires_at = {now} + ?, written_at = {now}
            WHERE operation = ? AND written_at < (""" + ENTERED + ")";

    private final StandardDialect dialect;
    private final Tables tables;

    StandardLedger(StandardDialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
    }

    @Override
    public void check(Connection connection, boolean withResponses) throws SQLException {
        dialect.check(connection, tables.sql("{fbf}.fbf_ledger"), "SELECT INSERT DELETE");
        if (withResponses) {
            dialect.check(connection, tables.sql("{fbf}.fbf_response"), "SELECT INSERT UPDATE DELETE");
        }
    }

    @Override
    public Entry insert(Connection connection, Claim claim, @Nullable String transaction, boolean alone)
            throws SQLException {
        Ledger.requireTransaction(connection);
        if (!alone && exists(connection, claim.id().toUuid())) {
            return new Entry(Refusal.APPLIED, null);
        }
        String its = transaction == null ? newTransaction() : transaction;
        try {
            dialect.update(connection, tables.sql(INSERT), row(claim, its));
            return new Entry(null, its);
        } catch (SQLException e) {
            boolean isApplied = SqlFailures.UNIQUE_VIOLATION.equals(e.getSQLState());
            if (!isApplied && !SqlFailures.isOfLocks(e)) {
                throw e;
            }
            return new Entry(isApplied ? Refusal.APPLIED : Refusal.IN_PROGRESS, null);
        }
    }

    private static @Nullable Object[] row(Claim claim, String transaction) {
        return new @Nullable Object[] {
            bytes(claim.id().toUuid()), Long.valueOf(transaction), claim.fingerprint(), kept(claim.retryWindow())
        };
    }

    private static String newTransaction() {
        return Long.toString(ThreadLocalRandom.current().nextLong());
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
    public Map<Claim, Entry> insertAll(Connection connection, List<Claim> claims, @Nullable String transaction)
            throws SQLException {
        Map<Claim, Entry> entries = new HashMap<>();
        String its = transaction == null ? newTransaction() : transaction;
        for (Claim claim : claims) {
            entries.put(claim, insert(connection, claim, its, false));
        }
        return entries;
    }

    @Override
    public boolean entersLast() {
        return false;
    }

    @Override
    public boolean finish(
            Connection connection, UUID first, @Nullable String transaction, @Nullable Claim last, boolean commit)
            throws SQLException {
        Object[] row = {bytes(first), Long.valueOf(requireNonNull(transaction))};
        return read(connection, IS_INTACT, found -> true, row) != null;
    }

    @Override
    public boolean exists(Connection connection, UUID operation) throws SQLException {
        return read(connection, ENTERED, row -> true, bytes(operation)) != null;
    }

    @Override
    public void forget(Connection connection, UUID operation) throws SQLException {
        for (String table : List.of("fbf_response", "fbf_ledger")) {
            Sql.update(connection, tables.sql("DELETE FROM {fbf}." + table + " WHERE operation = ?"), bytes(operation));
        }
    }

    @Override
    public @Nullable Found find(
            Connection connection, UUID operation, boolean withResponse, @Nullable CounterRow counter)
            throws SQLException {
        Sql.Reader<Found> reader = row -> {
            String headers = row.getString(3);
            Response response =
                    headers == null ? null : new Response(operation, row.getInt(2), headers, row.getBytes(4));
            long fingerprint = row.getLong(1);
            return new Found(row.wasNull() ? null : fingerprint, response, row.getBoolean(5), null, null);
        };
        return read(connection, FIND, reader, bytes(operation));
    }

    private <T> @Nullable T read(Connection connection, String template, Sql.Reader<T> reader, Object... parameters)
            throws SQLException {
        List<T> rows =
                StandardDialect.translating(() -> Sql.rows(connection, tables.sql(template), reader, parameters));
        return rows.isEmpty() ? null : rows.get(0);
    }

    @Override
    public void keep(Connection connection, List<Kept> responses) throws SQLException {
        StandardDialect.translating(() -> {
            try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
                for (Kept kept : responses) {
                    keep(connection, kept);
                }
                transaction.commit();
                return true;
            }
        });
    }

    private void keep(Connection connection, Kept kept) throws SQLException {
        Response answer = kept.response();
        byte[] id = bytes(answer.operation());
        Object[] row = {answer.status(), answer.headers(), answer.body(), kept(kept.retention()), id, id};
        try {
            Sql.update(connection, tables.sql(KEEP), Arrays.copyOf(row, row.length - 1));
        } catch (SQLException e) {
            if (!SqlFailures.UNIQUE_VIOLATION.equals(
                    StandardDialect.translated(e).getSQLState())) {
                throw e;
            }
            Sql.update(connection, tables.sql(KEEP_INSTEAD), row);
        }
    }

    @Override
    public int purge(Connection connection, BooleanSupplier stop) throws SQLException {
        return purge(connection, "fbf_ledger", stop) + purge(connection, "fbf_response", stop);
    }

    private int purge(Connection connection, String table, BooleanSupplier stop) throws SQLException {
        String sql = "DELETE FROM {fbf}." + table + " WHERE expires_at < {now} LIMIT " + PURGED_AT_ONCE;
        int purged = 0;
        int latest = PURGED_AT_ONCE;
        while (latest == PURGED_AT_ONCE && !stop.getAsBoolean()) {
            try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
                if (dialect.isMySql()) {
                    Sql.update(connection, READ_COMMITTED);
                }
                latest = dialect.update(connection, tables.sql(sql));
                transaction.commit();
            } catch (SQLException e) {
                if (!SqlFailures.isOfLocks(e)) {
                    throw e;
                }
                latest = 0; // another node is purging, or a transaction has found one of the rows
            }
            purged += latest;
        }
        return purged;
    }

    /** One transaction, with the rows in one message, and a statement per counter. */
    @Override
    public GroupCommit.Applier group(CounterRows counters) {
        return (connection, group) -> LedgerGroup.settle(connection, group, () -> {
            try (OwnTransaction transaction = OwnTransaction.begin(connection)) {
                Map<String, Long> values = dialect.within(BRIEF, connection, () -> apply(connection, group, counters));
                transaction.commit();
                return values;
            }
        });
    }

    /** Inserts the rows of the operations, in one order at all nodes, and adds to the counters. */
    private Map<String, Long> apply(Connection connection, List<GroupedIncrement> group, CounterRows counters)
            throws SQLException {
        String transaction = newTransaction();
        Map<UUID, GroupedIncrement> sorted = new TreeMap<>();
        group.forEach(each -> sorted.put(each.claim().id().toUuid(), each));
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(INSERT))) {
            for (GroupedIncrement each : sorted.values()) {
                Sql.bind(statement, row(each.claim(), transaction));
                statement.addBatch();
            }
            statement.executeBatch();
        }
        Map<String, Long> sums = GroupedIncrement.sums(group);
        Map<String, Long> values = counters.addAll(connection, sums);
        if (values.size() < sums.size()) {
            throw new SQLException("a counter of the group does not exist", SqlFailures.NO_DATA);
        }
        return values;
    }
}
