package dev.fbf.db.witness;

import dev.fbf.db.FbfSchema;
import dev.fbf.db.OperationStore;
import dev.fbf.db.connection.OwnTransaction;
import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A node's rows in the table {@code fbf_witness}: one for each slot, with the token of the slot's last commit, or a fence.
 *
 * <p>A guarded transaction {@linkplain #turn turns} its slot's row from its current token to a fresh one. That update commits or rolls back
 * with the transaction. So the fresh token proves later that the transaction committed; and replacing the old token by a {@linkplain #fence
 * fence} proves that it did not commit and never can.
 *
 * <p>Tokens are 64-bit numbers. A fresh token was never in the slot before, nor was its fence. Fences are negative, tokens positive.
 *
 * <p>Immutable and thread-safe; a connection serves one thread at a time.
 */
final class WitnessTable {

    /** Token of a row in which no transaction has committed yet; also stands for a missing row. */
    static final long NO_TOKEN = 0;

    private static final String INSERT =
            "INSERT INTO {fbf}.fbf_witness (node, slot, token) SELECT ?, slot, 0 FROM generate_series(0, ?) AS slot"
                    + " ON CONFLICT DO NOTHING";

    /** Violates NOT NULL if no row has that token. */
    private static final String TURN = """
            WITH turned AS (UPDATE {fbf}.fbf_witness SET token = ? WHERE node = ? AND slot = ? AND token = ? RETURNING slot)
            INSERT INTO {fbf}.fbf_witness (node, slot, token) SELECT CAST(NULL AS uuid), 0, 0 WHERE NOT EXISTS (SELECT FROM turned)""";

    private static final String TURN_AND_COMMIT = TURN + "; COMMIT";

    private static final String COMPARE_AND_SET =
            "UPDATE {fbf}.fbf_witness SET token = ? WHERE node = ? AND slot = ? AND token = ?";

    private static final String TOKEN = "SELECT token FROM {fbf}.fbf_witness WHERE node = ? AND slot = ?";

    // An open transaction that has changed a row is in the row's xmax, and holds the lock on its own id. One that
    // waits for a synchronous standby has committed: it must not become visible before the standby has it.
    private static final String EVICT = """
            SELECT count(pg_terminate_backend(holder.pid)) FROM {fbf}.fbf_witness AS witness
            JOIN pg_locks AS holder ON holder.locktype = 'transactionid' AND holder.granted
              AND holder.transactionid = witness.xmax
            JOIN pg_stat_activity AS activity ON activity.pid = holder.pid
            WHERE node = ? AND slot = ANY (?) AND activity.wait_event IS DISTINCT FROM 'SyncRep'
            """;

    private static final String DEAD_CLIENTS = """
            SELECT max(setting::int) FILTER (WHERE name = 'tcp_keepalives_idle')
              + max(setting::int) FILTER (WHERE name = 'tcp_keepalives_interval')
              * max(setting::int) FILTER (WHERE name = 'tcp_keepalives_count')
            FROM pg_settings WHERE name LIKE 'tcp\\_keepalives\\_%'
            """;

    private static final String TOKENS = "SELECT slot, token FROM {fbf}.fbf_witness WHERE node = ?";

    private final FbfSchema schema;
    private final UUID node;

    /** @param node the {@linkplain dev.fbf.core.witness.WitnessedDatabase#witness() key of the rows} */
    WitnessTable(FbfSchema schema, UUID node) {
        this.schema = schema;
        this.node = node;
    }

    /** See {@link OperationStore#check}. */
    void check(Connection connection) throws SQLException {
        schema.check(connection, "{fbf}.fbf_witness", "SELECT INSERT UPDATE");
    }

    /** Writes and updates a row that belongs to no node. */
    void probe(Connection connection) throws SQLException {
        UUID unused = UUID.randomUUID();
        Sql.update(
                connection,
                schema.sql(connection, "INSERT INTO {fbf}.fbf_witness (node, slot, token) VALUES (?, 0, 0)"),
                unused);
        Sql.update(connection, schema.sql(connection, COMPARE_AND_SET), 1L, unused, 0, NO_TOKEN);
    }

    /**
     * Returns the token that means: the transaction that would have written {@code next} did not commit, and never can. It depends on
     * {@code next} only, so that any node can repeat an interrupted settlement.
     */
    private static long fence(long next) {
        return ~next;
    }

    /**
     * Turns a slot's row from one token to a fresh one, with the last statement of the caller's transaction, which must roll back if this
     * fails. Waits for an open transaction that has turned the same row. Requires {@link #prepare} before.
     *
     * @param commit whether to send COMMIT in the same message
     * @throws IllegalStateException if the connection is in autocommit
     * @throws SQLException if the row has another token, or an older one in the transaction's snapshot ({@link #isMismatch}), or another
     *     transaction turned it since that snapshot (SQL state 40001). Also if the transaction cannot commit, or the outcome is unknown
     */
    void turn(Connection connection, int slot, long previous, long next, boolean commit) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("autoCommit=true: must be called within the transaction that it guards");
        }
        try (PreparedStatement statement =
                connection.prepareStatement(schema.sql(connection, commit ? TURN_AND_COMMIT : TURN))) {
            Sql.bind(statement, parameters(slot, previous, next));
            statement.execute();
            SqlFailures.requireReplicated(statement.getWarnings());
        }
    }

    /** Returns whether {@link #turn} has failed because the row has another token. */
    static boolean isMismatch(SQLException e) {
        return SqlFailures.isOfRowIn("fbf_witness", e);
    }

    /**
     * Ensures that the transaction that was to {@linkplain #turn turn} this row has committed, or never will. Replaces {@code previous} by the
     * fence of {@code next}, or reads the other token that the row has.
     *
     * <p>Uses a separate transaction, regardless of the database's default isolation. Waits up to {@code timeout} for a transaction that
     * holds the row, and for synchronous standbys as long as the connection does. Repeating the call is safe, also after an exception and
     * from any node.
     *
     * @return the row's token, from which the slot's next transaction begins: {@code next} if the transaction committed, its {@linkplain
     *     #isFence fence} if it did not, or another one; {@link #NO_TOKEN} if the row is missing. Null if the row stays locked, most likely by
     *     this transaction
     */
    @Nullable Long settle(Connection connection, int slot, long previous, long next, Duration timeout) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection, timeout)) {
            long token = compareAndSet(connection, slot, previous, fence(next))
                    ? fence(next)
                    // a separate statement sees commits that happened while the fence waited
                    : token(connection, slot);
            if (token != fence(next)) {
                // A row that can be read may still be lost: after a crash a server shows commits that its synchronous
                // standby does not have, and that standby may have taken over. A COMMIT that writes waits until the
                // standby has all earlier commits.
                compareAndSet(connection, slot, token, token);
            }
            transaction.commit();
            return token;
        } catch (SQLException e) {
            if (SqlFailures.isOfLocks(e)) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Terminates the connections of open transactions that have changed the rows of some slots; returns their number. Without this, the
     * server can take hours to detect that the client of a connection is gone.
     *
     * <p>A transaction that has committed and waits for a synchronous standby is not affected.
     */
    int evict(Connection connection, Collection<Integer> slots) throws SQLException {
        if (slots.isEmpty()) {
            return 0;
        }
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            Array its = connection.createArrayOf("integer", slots.toArray());
            int evicted = Sql.get(connection, schema.sql(connection, EVICT), row -> row.getInt(1), node, its);
            transaction.commit();
            return evicted;
        }
    }

    /**
     * Returns the longest time in which the server does not notice that the host of a connection like this one is gone; zero if it cannot be.
     * Until then, a transaction that had not reached its COMMIT keeps its locks, and no row of the
     * witness shows it.
     */
    Duration deadClientsFor(Connection connection) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            long seconds = Sql.get(connection, DEAD_CLIENTS, row -> row.getLong(1));
            transaction.commit();
            return Duration.ofSeconds(seconds);
        }
    }

    /** Creates the missing rows in a separate transaction; returns the token of each slot. */
    Map<Integer, Long> prepare(Connection connection, int slots) throws SQLException {
        try (OwnTransaction transaction = OwnTransaction.beginReadCommitted(connection)) {
            Map<Integer, Long> tokens = tokens(connection);
            if (tokens.size() < slots) {
                Sql.update(connection, schema.sql(connection, INSERT), node, slots - 1);
                tokens = tokens(connection);
            }
            transaction.commit();
            return tokens;
        }
    }

    /** Returns the token of each slot that has a row. */
    Map<Integer, Long> tokens(Connection connection) throws SQLException {
        Map<Integer, Long> tokens = new HashMap<>();
        Sql.rows(connection, schema.sql(connection, TOKENS), row -> tokens.put(row.getInt(1), row.getLong(2)), node);
        return tokens;
    }

    private boolean compareAndSet(Connection connection, int slot, long previous, long next) throws SQLException {
        return Sql.update(connection, schema.sql(connection, COMPARE_AND_SET), parameters(slot, previous, next)) == 1;
    }

    /** Returns the SQL that turns a slot's row if it has a given token. Its parameters: {@link #parameters}. */
    String compareAndSet() {
        return schema.sql(COMPARE_AND_SET);
    }

    /** Returns the parameters of {@link #compareAndSet()}. */
    Object[] parameters(int slot, long previous, long next) {
        return new Object[] {next, node, slot, previous};
    }

    private long token(Connection connection, int slot) throws SQLException {
        Long token = Sql.find(connection, schema.sql(connection, TOKEN), row -> row.getLong(1), node, slot);
        return token == null ? NO_TOKEN : token;
    }

    /** Returns whether a token shows that the transaction that would have written {@code next} did not commit. */
    static boolean isFence(long token, long next) {
        return token == fence(next);
    }
}
