package dev.fbf.db;

import dev.fbf.core.claim.Claim;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.group.LoneCounters;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counters, one per row of a table. The table is either fbf's {@code fbf_counter}, where an increment creates a missing counter, or a table
 * of the application, which inserts the counters itself.
 *
 * <p>A method with a connection parameter works in that connection's transaction, and does not guard operations. Thread-safe.
 */
public final class Counters {

    private final CounterRows table;
    private final GroupCommit group;
    private final OperationStore store;

    /**
     * A table of the application.
     *
     * @param name its case-sensitive name, such as {@code page} or {@code shop.page}
     * @param key the column that names the counter, unique: {@code text}, {@code varchar}, {@code bigint}, {@code integer}, {@code
     *     smallint} or {@code uuid}; of a deterministic collation
     * @param value the column with the counter's value: {@code bigint}, {@code integer} or {@code smallint}
     */
    public record Table(String name, String key, String value) {}

    Counters(CounterRows table, GroupCommit group, OperationStore store) {
        this.table = table;
        this.group = group;
        this.store = store;
    }

    /**
     * Adds to a counter.
     *
     * @return the counter's new value
     * @throws IllegalArgumentException if the name is invalid
     * @throws UnknownCounterException if the counter does not exist
     * @throws SQLException if the value would leave its range (SQL state 22003) or violate a constraint (class 23), or the database cannot
     *     be reached
     * @throws StoreException if fbf's own table cannot be used
     */
    public long add(Connection connection, String counter, long delta) throws SQLException {
        try {
            return table.add(connection, counter, delta);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * Adds to several counters with one statement. Locks their rows in the same order as groups do, so that this call and a group
     * cannot deadlock.
     *
     * @return the counters' new values, by name
     * @throws IllegalArgumentException if a name is invalid
     * @throws ArithmeticException if several names mean one counter, and the sum of their deltas exceeds 64 bits
     * @throws UnknownCounterException if one of the counters does not exist; the other increments were made
     * @throws SQLException if a value would leave its range (SQL state 22003) or violate a constraint (class 23), or the database cannot
     *     be reached
     * @throws StoreException if fbf's own table cannot be used
     */
    public Map<String, Long> addAll(Connection connection, Map<String, Long> deltas) throws SQLException {
        try {
            Map<String, Long> values = table.addAll(connection, deltas);
            for (String counter : deltas.keySet()) {
                if (!values.containsKey(counter)) {
                    throw table.unknown(counter);
                }
            }
            return values;
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private SQLException failed(SQLException e) {
        if (table.makesCounters() && SqlFailures.isOfTable(e)) {
            throw store.failed(e);
        }
        return e;
    }

    /**
     * {@return the values of those counters that exist, by name, from one snapshot}
     *
     * @throws IllegalArgumentException if a name is invalid
     * @throws SQLException if the database cannot be reached
     * @throws StoreException if fbf's own table cannot be used
     */
    public Map<String, Long> values(Connection connection, Collection<String> counters) throws SQLException {
        try {
            return table.values(connection, counters);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * Applies an operation together with those of concurrent callers, and waits for its outcome: one statement, one COMMIT and one
     * connection serve all of them. The row of a shared counter is then locked once for the group.
     *
     * <p>A dedicated thread applies the groups, with one connection of the data source at a time. A single caller applies its operation
     * itself, if the data source is a pool that gives all threads the same connections. Its timeout must be at least 1 second, and its
     * thread must not be virtual. It then waits for a connection as long as the pool allows, and for each response at most for its timeout.
     *
     * <p>If the group fails, the increments of counters that do not exist fail with {@link UnknownCounterException}, and the others are a
     * group again. If all exist, they {@linkplain GroupedIncrement#goesAlone go alone}: each caller adds in a transaction of its own, when
     * it is {@linkplain #awaitTurn its turn}. A group waits 250 ms for a row that another transaction has locked.
     * Its statement on a table of the application is canceled after 2 seconds ({@link java.sql.Statement#setQueryTimeout}). A connection is
     * abandoned after 20 seconds without a response ({@link Connection#setNetworkTimeout}).
     *
     * @param claim the operation's claim, which this call ends unless the increment goes alone
     * @param fingerprint the fingerprint of its request; null if requests are not compared
     * @return the increment with its outcome, or one that goes alone; null if it is still being applied, because the timeout has passed or the caller
     *     was interrupted
     * @throws IllegalArgumentException if the name is invalid, or {@code delta} is 0; the claim is still held
     */
    public @Nullable GroupedIncrement apply(
            Claim claim, @Nullable Long fingerprint, String counter, long delta, Duration timeout) {
        return group.apply(claim, fingerprint, counter, delta, timeout);
    }

    /**
     * Waits until an increment that goes alone may be applied: one at a time per counter, and 10 ms after the counter's latest failure.
     *
     * @param timeout the timeout of {@link #apply}, which began to run there
     * @return null if the time is over before its turn, or the caller was interrupted; the claim is still held
     */
    public LoneCounters.@Nullable Turn awaitTurn(GroupedIncrement increment, Duration timeout) {
        return group.awaitTurn(increment, timeout);
    }

    /**
     * Adds to the counter of an increment whose turn it is. The connection's transaction waits for locks at most for the remaining time of
     * the increment's caller.
     *
     * @return the counter's new value
     * @throws SQLException as {@link #add(Connection, String, long)}
     * @throws StoreException as {@link #add(Connection, String, long)}
     */
    public long add(Connection connection, GroupedIncrement increment, LoneCounters.Turn turn) throws SQLException {
        try {
            return table.addWithin(connection, increment.counter(), increment.delta(), turn.remaining());
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** {@return the number of queued operations, as of now} */
    public int waiting() {
        return group.waiting();
    }

    /** Registers a listener for groups, which replaces the previous listener; its exceptions are logged. */
    public void listen(GroupCommit.Listener listener) {
        group.listen(listener);
    }
}
