package dev.fbf.db.group;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies increments of many callers together, as specified by {@code Counters.apply}. Thread-safe. */
public final class GroupCommit implements AutoCloseable {

    /*
     * While a group is being committed, the next one gathers: GroupQueue decides how long to wait for more increments.
     *
     * A dedicated thread commits the groups. A single caller commits on its own thread, which saves two thread switches, if the data source
     * gives all threads the same connections. A virtual thread never does so: an interrupt would close the
     * socket that it waits for, and leave the group in doubt.
     *
     * An increment is QUEUED -> TAKEN -> DONE, or QUEUED -> ABANDONED when its caller gives up: an increment that was never taken was not
     * applied. The connection is obtained before the group is taken.
     *
     * The server executes a group's statement as a whole or not at all. Nearly always all operations of a group are new, all counters
     * exist, and no other transaction holds their rows for long. The optimistic statement expects this, in the connection's
     * own isolation. It costs the server less than the locking statement, and fails if the expectation is wrong. Then the locking
     * statement, which finds the reason, is sent for this group and some groups after it.
     *
     * The locking statement skips rows that other transactions have locked, because a wait would block all callers. If it skips
     * any, it applies no increment: the increments of these rows are queued again, apart, and the others are retried at once. After a
     * pause the locked rows are retried as a group of their own, which may wait for one of them: LockedCounters decides when.
     *
     * If an increment makes a statement fail, the group is split in halves repeatedly, until this increment fails alone.
     */
    private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

    /** Number of attempts for a group whose commit other transactions prevent. */
    private static final int TRIES = 4;

    /** Number of groups that are checked for missing counters after one was found. */
    private static final int SUSPICIOUS = 32;

    /** Limit of {@link #found}, which is cleared when it is reached. */
    private static final int MOST_FOUND = 10_000;

    /** The longest silence of the server before its connection is abandoned. */
    private static final Duration SILENCE = Duration.ofSeconds(20);

    /** Minimum timeout of a caller that commits on its own thread, after which the connection is abandoned. */
    private static final Duration SHORTEST_LEAD = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final boolean callersMayCommit;
    private final CounterTable counters;
    private final Applier applier;
    private final Thread thread;
    private final GroupQueue queue = new GroupQueue();

    private final Caution caution = new Caution();

    /** Number of remaining groups that are checked for missing counters first, so that they do not lock rows needlessly. */
    private int suspicious;

    /** Counters that a check has found; further checks skip them while groups are suspicious. */
    private final Set<String> found = new HashSet<>();

    private volatile Listener listener = (size, waited, took) -> {};

    /** Listener for applied groups, called by the thread that applies them. Must be quick. */
    @FunctionalInterface
    public interface Listener {

        /**
         * Called after a group was applied or has failed.
         *
         * @param size the number of its operations
         * @param waited how long the first of them was queued
         * @param took the time from then until all outcomes were known
         */
        void ended(int size, Duration waited, Duration took);
    }

    /**
     * The wait for one row.
     *
     * @param counter the counter of the row
     * @param timeout the longest time to wait
     */
    public record Wait(String counter, Duration timeout) {}

    /** Applies a group in one transaction. */
    public interface Applier {

        /**
         * Applies the group, ends all claims and sets all outcomes.
         *
         * @param connection in autocommit
         * @param timeout the longest wait for a row that another transaction has locked
         * @throws SQLException if no increment was applied, because an operation is not new, a counter is missing, a row stayed locked for
         *     longer, or for another reason; the claims are still held
         */
        void applyOptimistically(Connection connection, List<GroupedIncrement> group, Duration timeout)
                throws SQLException;

        /**
         * Applies the group, ends its claims and sets every outcome; applies no increment if it cannot lock the rows of all counters.
         *
         * @param connection in autocommit
         * @param wait the wait for one row before any row is locked; null not to wait
         * @return the counters whose rows it could not lock; empty if every outcome is set
         * @throws SQLException if no increment was applied; the claims are still held
         */
        Set<String> apply(Connection connection, List<GroupedIncrement> group, @Nullable Wait wait) throws SQLException;
    }

    /**
     * Starts the thread.
     *
     * @param name the thread's name after {@code fbf-group-}
     * @param callersMayCommit whether the data source gives the same connections to all threads
     */
    public GroupCommit(
            String name, DataSource dataSource, boolean callersMayCommit, CounterTable counters, Applier applier) {
        this.dataSource = dataSource;
        this.callersMayCommit = callersMayCommit;
        this.counters = counters;
        this.applier = applier;
        thread = new Thread(this::run, "fbf-group-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /** As {@code Counters.apply}. */
    public @Nullable GroupedIncrement apply(
            Claim claim, @Nullable Long fingerprint, String counter, long delta, Duration timeout) {
        String name = counters.canonical(counter);
        if (delta == 0) {
            throw new IllegalArgumentException("delta=0: must be another number");
        }
        GroupedIncrement increment = new GroupedIncrement(claim, fingerprint, name, delta);
        boolean mayLead = callersMayCommit
                && timeout.compareTo(SHORTEST_LEAD) >= 0
                && !Thread.currentThread().isInterrupted()
                && !VirtualThreads.isCurrent();
        if (mayLead && queue.tryLead()) {
            lead(increment, timeout);
        } else if (!queue.add(increment)) {
            increment.refused(Refusal.STOPPED);
        }
        return increment.await(timeout);
    }

    private void lead(GroupedIncrement increment, Duration timeout) {
        List<GroupedIncrement> group = List.of(increment);
        try {
            increment.take();
            withConnection(timeout.compareTo(SILENCE) < 0 ? timeout : SILENCE, it -> applyNew(it, group));
        } catch (SQLException | RuntimeException | Error e) {
            increment.failed(e);
        } finally {
            queue.endLead();
        }
    }

    public void listen(Listener newListener) {
        listener = newListener;
    }

    public int waiting() {
        return queue.size();
    }

    /** Accepts no more operations. The thread applies the queued ones and ends. This call returns at once. */
    @Override
    public void close() {
        queue.close();
    }

    private void run() {
        try {
            while (queue.awaitSome()) {
                round();
            }
        } catch (InterruptedException e) {
            log.debug("Interrupted.", e);
        }
    }

    private void round() {
        Round round = new Round();
        try {
            withConnection(SILENCE, round);
        } catch (SQLException | RuntimeException | Error e) {
            round.failed(e); // the thread continues
        }
    }

    /** The thread's work with one connection: the increments of locked rows that are due for a retry, then the waiting ones. */
    private final class Round implements Work {

        private @Nullable List<GroupedIncrement> group;

        @Override
        public void with(Connection connection) throws SQLException {
            group = queue.takeLocked();
            applyLocked(connection, group);
            group = queue.take();
            if (!group.isEmpty()) {
                applyNew(connection, group);
            }
        }

        /** Without a connection, all queued increments fail. */
        private void failed(Throwable e) {
            if (group == null) {
                queue.takeLocked().forEach(increment -> increment.failed(e));
                queue.endTry();
                group = queue.take();
            }
            group.forEach(increment -> increment.failed(e));
        }
    }

    private interface Work {
        void with(Connection connection) throws SQLException;
    }

    /** Runs work with a connection in autocommit, which is abandoned after a silence of the server. */
    private void withConnection(Duration silence, Work work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            SilenceLimit limit = SilenceLimit.begin(connection, silence);
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                connection.setAutoCommit(true);
            }
            work.with(connection);
            if (!connection.isClosed()) {
                limit.end();
                if (!autoCommit) {
                    connection.setAutoCommit(false);
                }
            }
        }
    }

    private void applyNew(Connection connection, List<GroupedIncrement> group) throws SQLException {
        long begin = System.nanoTime();
        if (caution.isNeeded() || !applyOptimistically(connection, group)) {
            apply(connection, withoutSuspicious(connection, group));
        }
        ended(group, begin);
    }

    /** Returns false if no increment was applied. */
    private boolean applyOptimistically(Connection connection, List<GroupedIncrement> group) {
        try {
            applier.applyOptimistically(connection, group, queue.firstWait());
            caution.succeeded();
            return true;
        } catch (SQLException e) {
            log.debug("The optimistic statement of a group has failed.", e);
            caution.failed();
            return false;
        }
    }

    private List<GroupedIncrement> withoutSuspicious(Connection connection, List<GroupedIncrement> group)
            throws SQLException {
        if (suspicious == 0) {
            found.clear();
            return group;
        }
        suspicious--;
        Set<String> names = new HashSet<>();
        group.forEach(increment -> names.add(increment.counter()));
        names.removeAll(found);
        if (names.isEmpty()) {
            return group;
        }
        Set<String> missing = counters.missing(connection, names);
        if (found.size() > MOST_FOUND) {
            found.clear();
        }
        found.addAll(names);
        return withoutUnknown(group, missing);
    }

    private void ended(List<GroupedIncrement> group, long begin) {
        long took = System.nanoTime() - begin;
        queue.ended(group.size(), took);
        Duration waited = Duration.ofNanos(begin - group.get(0).queuedAt());
        try {
            listener.ended(group.size(), waited, Duration.ofNanos(took));
        } catch (RuntimeException e) {
            log.warn("A group listener has thrown: {}", e.toString());
        }
    }

    private void applyLocked(Connection connection, List<GroupedIncrement> group) {
        try {
            Wait wait = queue.wait(group);
            if (wait == null) {
                apply(connection, group);
            } else {
                applyWaiting(connection, group, wait);
            }
        } finally {
            queue.endTry();
        }
    }

    private void applyWaiting(Connection connection, List<GroupedIncrement> group, Wait wait) {
        long begin = System.nanoTime();
        boolean inVain = false;
        try {
            apply(connection, withoutMissed(connection, group, applier.apply(connection, group, wait)));
        } catch (SQLException e) {
            inVain = SqlFailures.isOfLocks(e) || SqlFailures.isOfOthers(e);
            if (inVain) {
                apply(connection, queue.putBack(group, Set.of(wait.counter())));
            } else {
                failed(connection, group, e);
            }
        } finally {
            queue.waited(wait, System.nanoTime() - begin, inVain);
        }
    }

    private void apply(Connection connection, List<GroupedIncrement> group) {
        if (group.isEmpty()) {
            return;
        }
        try {
            apply(connection, withoutMissed(connection, group, applyRepeatedly(connection, group)));
        } catch (SQLException e) {
            failed(connection, group, e);
        }
    }

    private void failed(Connection connection, List<GroupedIncrement> group, SQLException e) {
        if (SqlFailures.isOfOthers(e) || SqlFailures.isOfTime(e)) {
            group.forEach(increment -> increment.refused(Refusal.CONFLICT));
        } else if (group.size() == 1 || !SqlFailures.isOfData(e)) {
            group.forEach(increment -> increment.failed(e));
        } else {
            apply(connection, group.subList(0, group.size() / 2));
            apply(connection, group.subList(group.size() / 2, group.size()));
        }
    }

    private Set<String> applyRepeatedly(Connection connection, List<GroupedIncrement> group) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return applier.apply(connection, group, null);
            } catch (SQLException e) {
                if (tries == TRIES || !SqlFailures.isOfOthers(e)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Returns the rest of a group when the rows of some of its counters were not locked. Increments of missing counters fail, and
     * increments of rows that other transactions have locked are queued again. If all rows were locked here, the group was applied.
     */
    private List<GroupedIncrement> withoutMissed(
            Connection connection, List<GroupedIncrement> group, Set<String> missed) throws SQLException {
        if (missed.isEmpty()) {
            return List.of();
        }
        Set<String> missing = counters.missing(connection, missed);
        Set<String> passed = new HashSet<>(missed);
        passed.removeAll(missing);
        if (!counters.makesCounters()) {
            return queue.putBack(withoutUnknown(group, missing), passed);
        }
        if (!missing.isEmpty()) {
            passed.addAll(counters.make(connection, missing));
        }
        return queue.putBack(group, passed);
    }

    /** Returns the increments of all other counters. */
    private List<GroupedIncrement> withoutUnknown(List<GroupedIncrement> group, Set<String> unknown) {
        if (unknown.isEmpty()) {
            return group;
        }
        suspicious = SUSPICIOUS;
        found.removeAll(unknown);
        List<GroupedIncrement> known = new ArrayList<>();
        for (GroupedIncrement increment : group) {
            if (unknown.contains(increment.counter())) {
                increment.failed(counters.unknown(increment.counter()));
            } else {
                known.add(increment);
            }
        }
        return known;
    }
}
