package dev.fbf.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads counters for many callers with one statement: while one read is under way, those who come share the next. Each sees
 * at least what was committed when it came.
 *
 * <p>Takes one connection at a time, but for callers whose shared read has failed: they read for themselves. Thread-safe.
 */
public final class CoalescingReader {

    /** Of those who come while the read before is under way. The first of them makes it. */
    private static final class Read {
        private final Set<String> counters = new HashSet<>();
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile @Nullable Map<String, Long> values;
    }

    private final DataSource dataSource;
    private final CounterTable counters;

    /** Held by who reads for others. */
    private final ReentrantLock turn = new ReentrantLock();

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Read next;

    /**
     * Makes one.
     *
     * @param dataSource gives connections to the database, in autocommit
     * @param counters what is read
     */
    public CoalescingReader(DataSource dataSource, CounterTable counters) {
        this.dataSource = dataSource;
        this.counters = counters;
    }

    /**
     * Reads a counter.
     *
     * @param counter the counter's name
     * @return its value; empty if there is no such counter
     * @throws IllegalArgumentException if no counter can have such a name
     * @throws SQLException if the database cannot be reached
     */
    public OptionalLong value(String counter) throws SQLException {
        counters.canonical(counter); // a bad name is this caller's matter alone
        Map<String, Long> values = shared(counter);
        if (values == null) {
            try (Connection connection = dataSource.getConnection()) {
                return counters.value(connection, counter);
            }
        }
        Long value = values.get(counter);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** The values of a read for this caller and others; null if that failed for another caller, or was not waited for. */
    private @Nullable Map<String, Long> shared(String counter) throws SQLException {
        Read read;
        boolean isFirst;
        lock.lock();
        try {
            isFirst = next == null;
            read = next == null ? new Read() : next;
            read.counters.add(counter);
            next = read;
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            readForAll(read);
        } else {
            try {
                read.done.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return read.values;
    }

    private void readForAll(Read read) throws SQLException {
        turn.lock();
        try (Connection connection = dataSource.getConnection()) {
            gatherNoMore(read);
            read.values = counters.values(connection, read.counters);
        } finally {
            gatherNoMore(read);
            read.done.countDown();
            turn.unlock();
        }
    }

    /** Who comes from now on shares another read. */
    private void gatherNoMore(Read read) {
        lock.lock();
        try {
            if (next == read) {
                next = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
