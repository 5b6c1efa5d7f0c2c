package dev.fbf.db;

import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.WitnessedDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies increments of many callers together: one statement, one COMMIT and one connection for as many as wait. A row
 * that everybody adds to is then locked once for all of them.
 *
 * <p>A thread of its own does so, with the data source's connections, one at a time. Thread-safe.
 */
public final class GroupCommit implements AutoCloseable {

    /*
     * While a group is being committed the next gathers by itself. Callers who have just been answered tend to come again
     * at once: so as many as were in the last group are waited for, but no longer than an eighth of the time that it took.
     * Whoever comes alone waits for nobody.
     *
     * An increment is QUEUED -> TAKEN -> DONE, or QUEUED -> ABANDONED when its caller gives up: one that nobody has taken
     * was surely not applied. The connection is there before the group is taken.
     *
     * The server executes all of a group's statement or nothing. If something in it cannot be done, the halves are tried,
     * and so on, until what cannot be done is alone and fails alone.
     */
    private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

    /** What part of the time that the last group took is spent on gathering the next at most. */
    private static final int GATHERING = 8;

    /** How often a group is tried that another transaction kept from committing. */
    private static final int TRIES = 4;

    private final DataSource dataSource;
    private final CounterTable counters;
    private final Applier applier;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Deque<GroupedIncrement> waiting = new ArrayDeque<>();

    private boolean closed;

    /** How many are worth waiting for. */
    private int expected = 1;

    private long longestGathering;

    private volatile Listener listener = (size, waited, took) -> {};

    /** Hears of each group when it has been applied, by the thread that does so: must be quick. */
    @FunctionalInterface
    public interface Listener {

        /**
         * A group has been applied, or has failed.
         *
         * @param size how many operations it had
         * @param waited how long the first of them waited for its turn
         * @param took how long it took from then until all outcomes were known
         */
        void ended(int size, Duration waited, Duration took);
    }

    /** Applies a group in one transaction. */
    interface Applier {

        /**
         * Ends the claims, and sets the outcome, of all.
         *
         * @param connection in autocommit
         * @throws SQLException if surely none was applied; the claims are held
         */
        void apply(Connection connection, List<GroupedIncrement> group) throws SQLException;
    }

    private GroupCommit(String name, DataSource dataSource, CounterTable counters, Applier applier) {
        this.dataSource = dataSource;
        this.counters = counters;
        this.applier = applier;
        thread = new Thread(this::run, "fbf-group-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Groups that the witness tells the outcome of.
     *
     * @param name the thread's, after {@code fbf-group-}
     * @param dataSource gives connections to the database
     * @param counters what is added to
     * @param database whose slots the groups take
     * @param witness the database's
     * @return what applies them, to be closed
     */
    public static GroupCommit witnessed(
            String name,
            DataSource dataSource,
            CounterTable counters,
            WitnessedDatabase database,
            WitnessTable witness) {
        return new GroupCommit(name, dataSource, counters, new WitnessedGroup(counters, database, witness));
    }

    /**
     * Groups whose operations go to the ledger.
     *
     * @param name the thread's, after {@code fbf-group-}
     * @param dataSource gives connections to the database
     * @param counters what is added to
     * @param ledger where the operations go
     * @return what applies them, to be closed
     */
    public static GroupCommit withLedger(
            String name, DataSource dataSource, CounterTable counters, LedgerTable ledger) {
        return new GroupCommit(name, dataSource, counters, new LedgerGroup(counters, ledger));
    }

    /**
     * Applies an operation together with others, and waits for its outcome.
     *
     * @param claim its claim, which this ends
     * @param fingerprint of its request; null if requests are not compared
     * @param counter what to add to
     * @param delta what to add, negative to subtract
     * @param patience how long to wait
     * @return the outcome; an interrupted caller waits no longer
     * @throws IllegalArgumentException if no counter can have such a name, or {@code delta} is 0; the claim is held still
     */
    public GroupOutcome apply(Claim claim, @Nullable Long fingerprint, String counter, long delta, Duration patience) {
        String name = counters.canonical(counter);
        if (delta == 0) {
            throw new IllegalArgumentException("delta=0: must be another number");
        }
        GroupedIncrement increment = new GroupedIncrement(claim, fingerprint, name, delta);
        lock.lock();
        try {
            if (closed) {
                claim.rolledBack();
                return GroupOutcome.NotApplied.NO_TURN;
            }
            waiting.add(increment);
            if (waiting.size() == 1 || waiting.size() >= expected) {
                arrived.signal();
            }
        } finally {
            lock.unlock();
        }
        return increment.await(patience);
    }

    /**
     * Says whom to tell of each group.
     *
     * @param newListener takes the place of the one before; what it throws is logged
     */
    public void listen(Listener newListener) {
        listener = newListener;
    }

    /**
     * Returns how many operations wait for their turn.
     *
     * @return the number, as it comes and goes
     */
    public int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no operations any more, applies those that wait, and ends the thread after that. Does not wait for it. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (awaitSome()) {
                round();
            }
        } catch (InterruptedException e) {
            log.debug("Interrupted.", e);
        }
    }

    private boolean awaitSome() throws InterruptedException {
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                arrived.await();
            }
            long left = longestGathering;
            while (waiting.size() < expected && !closed && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return !waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void round() {
        @Nullable List<GroupedIncrement> group = null;
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                connection.setAutoCommit(true);
            }
            group = take();
            if (!group.isEmpty()) {
                long begin = System.nanoTime();
                apply(connection, group);
                ended(group, begin);
            }
            if (!autoCommit) {
                connection.setAutoCommit(false);
            }
        } catch (SQLException | RuntimeException | Error e) {
            // where nothing could be begun, nobody waits for better times; the thread goes on
            (group == null ? take() : group).forEach(increment -> increment.failed(e));
        }
    }

    private void ended(List<GroupedIncrement> group, long begin) {
        long took = System.nanoTime() - begin;
        lock.lock();
        try {
            expected = group.size();
            longestGathering = took / GATHERING;
        } finally {
            lock.unlock();
        }
        Duration waited = Duration.ofNanos(begin - group.get(0).queuedAt());
        try {
            listener.ended(group.size(), waited, Duration.ofNanos(took));
        } catch (RuntimeException e) {
            log.warn("What listens to groups has thrown: {}", e.toString());
        }
    }

    /** The first ones that can be applied together. */
    private List<GroupedIncrement> take() {
        Group group = new Group();
        lock.lock();
        try {
            for (Iterator<GroupedIncrement> each = waiting.iterator(); each.hasNext() && !group.isFull(); ) {
                GroupedIncrement increment = each.next();
                if (group.fits(increment)) {
                    each.remove();
                    if (increment.take()) {
                        group.add(increment);
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        return group.increments();
    }

    private void apply(Connection connection, List<GroupedIncrement> group) {
        try {
            applyRepeatedly(connection, group);
        } catch (SQLException e) {
            if (group.size() == 1) {
                group.get(0).failed(counters.explain(e, group.get(0).counter()));
            } else if (!SqlFailures.isOfData(e)) {
                group.forEach(increment -> increment.failed(e));
            } else {
                apply(connection, group.subList(0, group.size() / 2));
                apply(connection, group.subList(group.size() / 2, group.size()));
            }
        }
    }

    private void applyRepeatedly(Connection connection, List<GroupedIncrement> group) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                applier.apply(connection, group);
                return;
            } catch (SQLException e) {
                if (tries == TRIES || !SqlFailures.isOfOthers(e)) {
                    throw e;
                }
            }
        }
    }
}
