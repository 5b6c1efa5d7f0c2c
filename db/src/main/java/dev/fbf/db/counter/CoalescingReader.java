package dev.fbf.db.counter;

import dev.fbf.core.DurationText;
import dev.fbf.db.connection.SilenceLimit;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reader of counters that serves concurrent callers with one statement, as described at {@code Counters.value}. Thread-safe. */
public final class CoalescingReader {

    /** Batch of the callers that arrived during the previous read. The first caller executes the statement. */
    private static final class Read {
        private final Set<String> counters = new HashSet<>();
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile @Nullable Map<String, Long> values;
    }

    private final DataSource dataSource;
    private final CounterTable counters;

    /** Half of a call's timeout: the limit of the waits for the previous read, for a shared read, and for a response of the server. */
    private final Duration half;

    private final ReentrantLock lock = new ReentrantLock();

    /** Held during a shared read. Replaced if a read takes longer than half of the timeout. Guarded by the lock. */
    private Semaphore turn = new Semaphore(1);

    private @Nullable Read next;

    /** Creates a reader. A call takes at most the timeout, plus the time to get a connection from the data source. */
    public CoalescingReader(DataSource dataSource, CounterTable counters, Duration timeout) {
        this.dataSource = dataSource;
        this.counters = counters;
        half = timeout.dividedBy(2);
    }

    public OptionalLong value(String counter) throws SQLException {
        counters.canonical(counter); // an invalid name must not fail the other callers of the batch
        Map<String, Long> values = shared(counter);
        if (values == null) {
            values = read(List.of(counter));
        }
        Long value = values.get(counter);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** Returns the values of a shared read; null if it failed in another thread, or did not finish in time. */
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
                read.done.await(half.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return read.values;
    }

    private void readForAll(Read read) throws SQLException {
        Semaphore mine = takeTurn();
        try {
            try (Connection connection = dataSource.getConnection()) {
                gatherNoMore(read);
                read.values = read(connection, read.counters);
            }
        } finally {
            gatherNoMore(read);
            read.done.countDown();
            mine.release();
        }
    }

    /** Waits for the previous read, but at most for half of the timeout. */
    private Semaphore takeTurn() {
        Semaphore current = turn();
        try {
            if (current.tryAcquire(half.toNanos(), TimeUnit.NANOSECONDS)) {
                return current;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Semaphore fresh = new Semaphore(0);
        lock.lock();
        try {
            turn = fresh;
        } finally {
            lock.unlock();
        }
        return fresh;
    }

    private Semaphore turn() {
        lock.lock();
        try {
            return turn;
        } finally {
            lock.unlock();
        }
    }

    private Map<String, Long> read(Collection<String> names) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return read(connection, names);
        }
    }

    private Map<String, Long> read(Connection connection, Collection<String> names) throws SQLException {
        SilenceLimit limit = SilenceLimit.begin(connection, half);
        try {
            return counters.values(connection, names);
        } catch (SQLException e) {
            if (e.getCause() instanceof SocketTimeoutException) {
                throw new SQLTimeoutException("No response within " + DurationText.of(half), e.getSQLState(), e);
            }
            throw e;
        } finally {
            limit.end();
        }
    }

    /** Closes the batch; later callers join the next one. */
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
