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
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Committer of the increments of many callers in groups, as specified by {@code Counters.apply}. Thread-safe. */
public final class GroupCommit implements AutoCloseable {

    /*
     * While a group is being committed, the next one gathers: GroupQueue decides how long to wait for more increments.
     *
     * A dedicated thread commits the groups. A single caller commits on its own thread, which saves two thread switches, if the data source
     * gives all threads the same connections. A virtual thread never does so: an interrupt would close the socket that it waits for, and
     * leave the group in doubt.
     *
     * The thread obtains the connection before it takes a group: until then, callers that time out can abandon their increments.
     *
     * The server executes a group's statement as a whole or not at all. Nearly always all operations of a group are new, all counters
     * exist, and no other transaction holds their rows for long. So the statement is sent at first as if this were certain, in the
     * connection's own isolation. If it fails, a query finds the increments that cannot be applied now: duplicates, those of unknown names
     * and, if a lock was the reason, those of rows that other transactions have locked. The statement is sent again for the others, as READ
     * COMMITTED. Some groups after a failure are checked by the query before they are sent.
     *
     * Increments of locked rows are queued again, apart, because a wait would block all callers. After a pause they are retried as a
     * group of their own, which may wait for one of the rows: LockedCounters decides when.
     *
     * The result of the query is not certain: it holds no lock when the statement is sent. If the statement fails again although the query
     * found no cause, the group is split in halves repeatedly, until the increment that causes it fails alone.
     */
    private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

    /** Number of attempts for a group whose commit other transactions prevent. */
    private static final int TRIES = 4;

    /** The longest wait for a row that was free when the group was checked. */
    static final Duration CHECKED_WAIT = Duration.ofMillis(4);

    /** The longest silence of the server before its connection is abandoned. */
    private static final Duration SILENCE = Duration.ofSeconds(20);

    /** Minimum timeout of a caller that commits on its own thread, because the timeout also limits the server's silence. */
    private static final Duration SHORTEST_LEAD = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final boolean callersMayCommit;
    private final CounterTable counters;
    private final Applier applier;
    private final Thread thread;
    private final GroupQueue queue = new GroupQueue();

    private final Caution caution = new Caution();

    private volatile Listener listener = (size, waited, took) -> {};

    /** Listener for applied groups, called by the thread that applies them. Must be quick. */
    @FunctionalInterface
    public interface Listener {

        /**
         * Called after an attempt to apply a group, but not after a retry of increments of locked rows.
         *
         * @param size the number of its operations
         * @param waited how long the first of them was queued
         * @param took the time from then until each had an outcome, or was queued again because its row is locked
         */
        void ended(int size, Duration waited, Duration took);
    }

    /**
     * Wait for one row.
     *
     * @param counter the counter of the row
     * @param timeout the longest time to wait
     */
    public record Wait(String counter, Duration timeout) {}

    /** Application of a group in one transaction. */
    public interface Applier {

        /**
         * Applies the group, ends all claims and sets all outcomes.
         *
         * @param connection in autocommit
         * @param timeout the longest wait for a row that another transaction has locked
         * @param again whether the group failed before or was checked: then it is applied as READ COMMITTED
         * @throws SQLException if no increment was applied, because an operation is not new, a counter is missing, a row stayed locked for
         *     longer, or for another reason; the claims are still held
         */
        void commit(Connection connection, List<GroupedIncrement> group, Duration timeout, boolean again)
                throws SQLException;

        /**
         * Finds the increments that cannot be applied now. In ledger mode, ends those whose operation was or is being applied.
         *
         * @param connection in autocommit
         * @param locks whether to look for locked rows too, at a higher cost
         * @return the counters that cannot be added to
         */
        CounterTable.Unavailable check(Connection connection, List<GroupedIncrement> group, boolean locks)
                throws SQLException;
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

    /** See {@code Counters.apply}. */
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

    /** Work of the thread with one connection: first the increments of locked rows that are due for a retry, then the queued ones. */
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

        /** Completes the increments of this round as failed. Without a connection, the round has not taken them yet. */
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
            try {
                if (!autoCommit) {
                    connection.setAutoCommit(true);
                }
                work.with(connection);
            } finally {
                if (!connection.isClosed()) {
                    limit.end();
                    if (!autoCommit) {
                        connection.setAutoCommit(false);
                    }
                }
            }
        }
    }

    private void applyNew(Connection connection, List<GroupedIncrement> group) {
        long begin = System.nanoTime();
        if (caution.isNeeded() || !applyAtOnce(connection, group)) {
            applyChecked(connection, group, caution.isOfLocks(), 1);
        }
        ended(group, begin);
    }

    /** Applies a group without a check; returns false if no increment was applied. */
    private boolean applyAtOnce(Connection connection, List<GroupedIncrement> group) {
        try {
            applier.commit(connection, group, queue.firstWait(), false);
            caution.succeeded();
            return true;
        } catch (SQLException e) {
            log.debug("The statement of a group has failed.", e);
            caution.failed(SqlFailures.isOfLocks(e));
            return false;
        }
    }

    private void ended(List<GroupedIncrement> group, long begin) {
        long took = System.nanoTime() - begin;
        queue.ended(group.size(), took);
        Duration waited = Duration.ofNanos(begin - group.get(0).queuedAt());
        try {
            listener.ended(group.size(), waited, Duration.ofNanos(took));
        } catch (RuntimeException e) {
            log.warn("A group listener failed: {}", e.toString());
        }
    }

    private void applyLocked(Connection connection, List<GroupedIncrement> group) {
        try {
            Wait wait = queue.wait(group);
            if (wait == null) {
                applyChecked(connection, group, true, 1);
            } else {
                Predicate<GroupedIncrement> isAwaited =
                        increment -> increment.counter().equals(wait.counter());
                applyWaiting(connection, group.stream().filter(isAwaited).toList(), wait);
                applyChecked(
                        connection, group.stream().filter(isAwaited.negate()).toList(), true, 1);
            }
        } finally {
            queue.endTry();
        }
    }

    private void applyWaiting(Connection connection, List<GroupedIncrement> awaited, Wait wait) {
        long begin = System.nanoTime();
        boolean unsuccessful = false;
        try {
            applier.commit(connection, awaited, wait.timeout(), true);
        } catch (SQLException e) {
            unsuccessful = SqlFailures.isOfLocks(e) || SqlFailures.isOfOthers(e);
            if (unsuccessful) {
                putBack(awaited);
            } else {
                applyChecked(connection, awaited, false, 1);
            }
        } finally {
            queue.waited(wait, System.nanoTime() - begin, unsuccessful);
        }
    }

    /**
     * Applies those increments of a group that the check finds applicable.
     *
     * @param locks whether rows may be locked
     */
    private void applyChecked(Connection connection, List<GroupedIncrement> group, boolean locks, int tries) {
        if (group.isEmpty()) {
            return;
        }
        List<GroupedIncrement> free;
        try {
            free = free(connection, group, locks);
        } catch (SQLException e) {
            if (SqlFailures.isOfOthers(e) && tries < TRIES) {
                applyChecked(connection, group, locks, tries + 1);
            } else {
                failed(group, e);
            }
            return;
        }
        if (free.isEmpty()) {
            return;
        }
        try {
            applier.commit(connection, free, CHECKED_WAIT, true);
        } catch (SQLException e) {
            if ((SqlFailures.isOfOthers(e) || isOfEntry(e)) && tries < TRIES) {
                applyChecked(connection, free, locks, tries + 1);
            } else if (SqlFailures.isOfLocks(e) && !locks) {
                applyChecked(connection, free, true, tries);
            } else if (SqlFailures.isOfLocks(e)
                    && GroupedIncrement.counters(free).size() == 1) {
                putBack(free);
            } else if (free.size() > 1 && (SqlFailures.isOfData(e) || SqlFailures.isOfLocks(e))) {
                applyChecked(connection, free.subList(0, free.size() / 2), locks, tries);
                applyChecked(connection, free.subList(free.size() / 2, free.size()), locks, tries);
            } else {
                failed(free, e);
            }
        }
    }

    /** Ends the increments that cannot be applied, queues those of locked rows again, and returns the others. */
    private List<GroupedIncrement> free(Connection connection, List<GroupedIncrement> group, boolean locks)
            throws SQLException {
        CounterTable.Unavailable unavailable = applier.check(connection, group, locks);
        List<GroupedIncrement> known = new ArrayList<>();
        for (GroupedIncrement increment : group) {
            if (unavailable.missing().contains(increment.counter())) {
                increment.failed(counters.unknown(increment.counter()));
            } else if (!increment.hasEnded()) {
                known.add(increment);
            }
        }
        return queue.putBack(known, unavailable.locked());
    }

    /** Returns whether another transaction has entered an operation in the ledger since the check, or begun to. */
    private static boolean isOfEntry(SQLException e) {
        return SqlFailures.isOfRowIn("fbf_ledger", e);
    }

    /** Queues increments of one counter again, whose row is locked. */
    private void putBack(List<GroupedIncrement> group) {
        queue.putBack(group, Set.of(group.get(0).counter()));
    }

    private static void failed(List<GroupedIncrement> group, SQLException e) {
        boolean isConflict = SqlFailures.isOfOthers(e) || SqlFailures.isOfTime(e);
        group.forEach(increment -> {
            if (isOfEntry(e)) {
                increment.refused(Refusal.IN_PROGRESS);
            } else if (isConflict) {
                increment.refused(Refusal.CONFLICT);
            } else {
                increment.failed(e);
            }
        });
    }
}
