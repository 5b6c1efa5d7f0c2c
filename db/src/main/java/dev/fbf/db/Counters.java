package dev.fbf.db;

import dev.fbf.core.claim.Claim;
import dev.fbf.db.counter.CoalescingReader;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.counter.UnknownCounterException;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Counters, one per row of a table. The table is either fbf's {@code fbf_counter}, which gets a row for every counter that is
 * added to, or a table of the application, which inserts the counters itself.
 *
 * <p>A method that takes a connection works on that and in its transaction, and guards nothing by itself. PostgreSQL only.
 * Thread-safe.
 */
public final class Counters {

    private final CounterTable table;
    private final GroupCommit group;
    private final CoalescingReader reader;

    /**
     * A table of the application's.
     *
     * @param name its name, as in {@code page} or {@code shop.page}; upper and lower case matter
     * @param key the column that names the counter, unique: {@code text}, {@code varchar}, {@code bigint}, {@code integer},
     *     {@code smallint} or {@code uuid}; of a deterministic collation
     * @param value the column that has its value: {@code bigint}, {@code integer} or {@code smallint}
     */
    public record Table(String name, String key, String value) {}

    Counters(CounterTable table, GroupCommit group, DataSource dataSource, Duration timeout) {
        this.table = table;
        this.group = group;
        reader = new CoalescingReader(dataSource, table, timeout);
    }

    /**
     * Adds to a counter.
     *
     * @return the counter's new value
     * @throws IllegalArgumentException if no counter can have such a name
     * @throws UnknownCounterException if there is no such counter
     * @throws SQLException if the value would leave its range (SQL state 22003) or violate a constraint (class 23), or
     *     the database cannot be reached
     */
    public long add(Connection connection, String counter, long delta) throws SQLException {
        return table.add(connection, counter, delta);
    }

    /**
     * Adds to several counters with one statement. Locks their rows in the order in which groups do, so that no two of them
     * wait for one another in a circle.
     *
     * @return the counters' new values, by the same names
     * @throws IllegalArgumentException if no counter can have such a name
     * @throws UnknownCounterException if one of the counters is not there; the others have been added to
     * @throws SQLException if a value would leave its range (SQL state 22003) or violate a constraint (class 23), or
     *     the database cannot be reached
     */
    public Map<String, Long> addAll(Connection connection, Map<String, Long> deltas) throws SQLException {
        return table.addAll(connection, deltas);
    }

    /**
     * {@return the values of those counters that are there, as they are at one moment}
     *
     * @throws IllegalArgumentException if no counter can have such a name
     * @throws SQLException if the database cannot be reached
     */
    public Map<String, Long> values(Connection connection, Collection<String> counters) throws SQLException {
        return table.values(connection, counters);
    }

    /**
     * Reads a counter, for many callers with one statement: callers that arrive during a read share the next one. Each sees at
     * least the value that was committed when it called.
     *
     * <p>Takes one connection at a time. A caller reads for itself only if its shared read has failed, or has not ended within
     * half of the timeout for reads. A read's connection is given up if the server is silent for half of that timeout
     * ({@link Connection#setNetworkTimeout}).
     *
     * @return its value; empty if there is no such counter
     * @throws IllegalArgumentException if no counter can have such a name
     * @throws SQLTimeoutException if the server does not respond in time
     * @throws SQLException if the database cannot be reached
     */
    public OptionalLong value(String counter) throws SQLException {
        return reader.value(counter);
    }

    /**
     * Applies an operation together with those of other callers, and waits for its outcome: one statement, one COMMIT and one
     * connection for all callers that wait. The row of a shared counter is then locked once for all of them.
     *
     * <p>A dedicated thread applies the groups, with one connection of the data source at a time. A caller that is alone applies its
     * operation itself, if the data source is a pool that gives all threads the same connections. It then waits for a connection as long
     * as the pool allows, and for the server no longer than its timeout.
     *
     * <p>Increments of a row that another transaction has locked are retried until their callers give up, while the others continue.
     * From time to time a group waits for such a row, for up to 64 ms. It has no other row locked then, so that groups cannot be
     * part of a deadlock over rows. A statement that takes longer than 10 seconds is canceled ({@link
     * java.sql.Statement#setQueryTimeout}), and the connection of a server that is silent for 20 seconds is given up ({@link
     * Connection#setNetworkTimeout}).
     *
     * @param claim its claim, which this ends
     * @param fingerprint of its request; null if requests are not compared
     * @return the increment with its outcome; null if it is being applied still. An interrupted caller waits no longer
     * @throws IllegalArgumentException if no counter can have such a name, or {@code delta} is 0; the claim is held still
     */
    public @Nullable GroupedIncrement apply(
            Claim claim, @Nullable Long fingerprint, String counter, long delta, Duration timeout) {
        return group.apply(claim, fingerprint, counter, delta, timeout);
    }

    /** {@return how many operations wait to be applied together, as of now} */
    public int waiting() {
        return group.waiting();
    }

    /** Registers a listener for each group, in place of the previous one; its exceptions are logged. */
    public void listen(GroupCommit.Listener listener) {
        group.listen(listener);
    }
}
