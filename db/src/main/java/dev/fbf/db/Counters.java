package dev.fbf.db;

import dev.fbf.db.connection.Sql;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterRow;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Counters, one per row of a table. The table is either fbf's {@code fbf_counter}, where an increment creates a missing counter, or a table
 * of the application, which inserts the counters itself.
 *
 * <p>A method with a connection parameter works in that connection's transaction, and does not guard operations. Thread-safe.
 */
public final class Counters extends GroupCommit {

    /**
     * Spring Boot's connection pools, which give the same connections to all threads. A subclass, a proxy or a routing data source may choose
     * a connection by the caller's tenant or transaction, and some of these claim to be wrappers of a pool.
     */
    private static final Set<String> PLAIN_POOLS = Set.of(
            "com.zaxxer.hikari.HikariDataSource",
            "org.apache.tomcat.jdbc.pool.DataSource",
            "org.apache.commons.dbcp2.BasicDataSource",
            "oracle.ucp.jdbc.PoolDataSourceImpl");

    private final CounterRows table;
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

    Counters(String name, DataSource dataSource, CounterRows table, Applier applier, OperationStore store) {
        super(name, dataSource, PLAIN_POOLS.contains(dataSource.getClass().getName()), table, applier);
        this.table = table;
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
        return adding(() -> table.add(connection, counter, delta));
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
        Map<String, Long> values = adding(() -> table.addAll(connection, deltas));
        for (String counter : deltas.keySet()) {
            if (!values.containsKey(counter)) {
                throw table.unknown(counter);
            }
        }
        return values;
    }

    private <T> T adding(Sql.Work<T> work) throws SQLException {
        try {
            return work.get();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** {@return a counter of the table} */
    public CounterRow row(String counter) {
        return new CounterRow(table, counter);
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
     * Adds to the counter of an increment whose turn it is. The connection's transaction waits for locks at most for the remaining time of
     * the increment's caller.
     *
     * @param timeout as for {@link #apply}
     * @return the counter's new value
     * @throws SQLException as {@link #add(Connection, String, long)}
     * @throws StoreException as {@link #add(Connection, String, long)}
     */
    public long add(Connection connection, GroupedIncrement increment, Duration timeout) throws SQLException {
        Duration left = increment.remaining(timeout);
        return adding(() -> table.addWithin(connection, increment.counter(), increment.delta(), left));
    }
}
