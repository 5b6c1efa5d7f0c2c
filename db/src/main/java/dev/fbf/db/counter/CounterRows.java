package dev.fbf.db.counter;

import dev.fbf.core.CounterNameException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;

/** A table whose rows are counters. Immutable and thread-safe. */
public interface CounterRows {

    /** {@return whether the table is fbf's own, where an increment creates a missing counter} */
    boolean makesCounters();

    /** {@return a counter's new value, after an increment in the connection's transaction} */
    long add(Connection connection, String counter, long delta) throws SQLException;

    /** {@return the new values of the existing counters, by name} */
    Map<String, Long> addAll(Connection connection, Map<String, Long> deltas) throws SQLException;

    /** {@return the values of the existing counters, by name} */
    Map<String, Long> values(Connection connection, Collection<String> counters) throws SQLException;

    /**
     * {@return the name in the database's notation}
     *
     * @throws CounterNameException if the name is invalid
     */
    String canonical(String counter);

    /** {@return as {@link #add}; a wait for a lock is limited, where the database can do so} */
    long addWithin(Connection connection, String counter, long delta, Duration timeout) throws SQLException;

    /** {@return the exception for a counter that does not exist} */
    UnknownCounterException unknown(String counter);
}
