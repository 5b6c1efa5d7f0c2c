package dev.fbf.db.group;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.group.GatheringQueue;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.counter.CounterRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Committer of the increments of many callers in groups. Thread-safe. */
public class GroupCommit implements AutoCloseable {

    /*
     * While a group is being committed, the next one gathers: GatheringQueue decides how long to wait for more increments.
     *
     * A dedicated thread commits the groups. A single caller commits on its own thread, which saves two thread switches, if the data source
     * gives all threads the same connections. A virtual thread never does so: an interrupt would close the socket that it waits for, and
     * leave the group in doubt.
     *
     * The thread obtains the connection before it takes a group: until then, callers that time out can abandon their increments.
     *
     * The server executes a group's statement as a whole or not at all. If it reports a failure, whatever the reason, no increment was
     * applied. Then each caller continues alone: in its own transaction, with its own error. LoneCounters keeps the counter that is the reason
     * out of the next groups.
     */
    private static final Logger log = LoggerFactory.getLogger(GroupCommit.class);

    /** The longest silence of the server before its connection is abandoned. */
    private static final Duration SILENCE = Duration.ofSeconds(20);

    /** Minimum timeout of a caller that commits on its own thread, because the timeout also limits the server's silence. */
    private static final Duration SHORTEST_LEAD = Duration.ofSeconds(1);

    private final DataSource dataSource;
    private final boolean callersMayCommit;
    private final CounterRows counters;
    private final Applier applier;
    private final Thread thread;
    private final GatheringQueue<GroupedIncrement> queue = new GatheringQueue<>();
    private final LoneCounters lone = new LoneCounters(System::nanoTime);

    private volatile Listener listener = (size, waited, took) -> {};

    /** Listener for applied groups, called by the thread that applies them. Must be quick. */
    @FunctionalInterface
    public interface Listener {

        /**
         * Called after an attempt to apply a group.
         *
         * @param size the number of its operations
         * @param waited how long the first of them was queued
         * @param took the time from then until the group was applied, or its callers continued alone
         */
        void ended(int size, Duration waited, Duration took);
    }

    /** Application of a group in one transaction. */
    public interface Applier {

        /**
         * Applies the group, ends all claims and sets all outcomes.
         *
         * @param connection in autocommit
         * @throws SQLException if the server has reported a failure: no increment was applied, and the claims are still held
         */
        void commit(Connection connection, List<GroupedIncrement> group) throws SQLException;
    }

    /**
     * Starts the thread.
     *
     * @param name the thread's name after {@code fbf-group-}
     * @param callersMayCommit whether the data source gives the same connections to all threads
     */
    public GroupCommit(
            String name, DataSource dataSource, boolean callersMayCommit, CounterRows counters, Applier applier) {
        this.dataSource = dataSource;
        this.callersMayCommit = callersMayCommit;
        this.counters = counters;
        this.applier = applier;
        thread = new Thread(this::run, "fbf-group-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Applies an operation together with those of concurrent callers, and waits for its outcome: one statement, one COMMIT and one
     * connection serve all of them. The row of a shared counter is then locked once for the group.
     *
     * <p>A dedicated thread applies the groups, with one connection of the data source at a time. A single caller applies its operation
     * itself, if the data source is a pool that gives all threads the same connections. Its timeout must be at least 1 second, and its
     * thread must not be virtual. It then waits for a connection as long as the pool allows, and for each response at most for its timeout.
     *
     * <p>If the group fails, its increments {@linkplain GroupedIncrement#goesAlone go alone}: each caller adds in a transaction of its own,
     * when it is {@linkplain #awaitTurn its turn}. A group waits 250 ms for a row that another transaction has locked.
     * A connection is abandoned after 20 seconds without a response ({@link Connection#setNetworkTimeout}).
     *
     * @param claim the operation's claim, which this call ends unless the increment goes alone
     * @return the increment with its outcome, or one that goes alone; null if it is still being applied, because the timeout has passed or the caller
     *     was interrupted
     * @throws IllegalArgumentException if the name is invalid, or {@code delta} is 0; the claim is still held
     */
    public @Nullable GroupedIncrement apply(Claim claim, String counter, long delta, Duration timeout) {
        String name = counters.canonical(counter);
        if (delta == 0) {
            throw new IllegalArgumentException("delta=0: must be another number");
        }
        GroupedIncrement increment = new GroupedIncrement(claim, name, delta);
        if (lone.contains(name)) {
            increment.take();
            increment.sendAlone();
        } else if (mayLead(timeout) && queue.tryLead()) {
            lead(increment, timeout);
        } else if (!queue.add(increment)) {
            increment.refused(Refusal.STOPPED);
        }
        return increment.awaitEnd(timeout) ? increment : null;
    }

    private boolean mayLead(Duration timeout) {
        return callersMayCommit
                && timeout.compareTo(SHORTEST_LEAD) >= 0
                && !Thread.currentThread().isInterrupted()
                && !isVirtual(Thread.currentThread());
    }

    /** Returns whether a thread is virtual: JDK 17 has no method for that, and later ones give such threads a group of this name. */
    private static boolean isVirtual(Thread thread) {
        return thread.getThreadGroup().getName().equals("VirtualThreads");
    }

    private void lead(GroupedIncrement increment, Duration timeout) {
        try {
            increment.take();
            applyNext(timeout.compareTo(SILENCE) < 0 ? timeout : SILENCE, () -> List.of(increment));
        } finally {
            queue.endLead();
        }
    }

    /**
     * Waits until an increment that goes alone may be applied: one at a time per counter.
     *
     * @param timeout the timeout of {@link #apply}, which began to run there
     * @return whether it may, and {@link #endTurn} must follow; false if the time is over before its turn, or the caller was interrupted: the
     *     claim is still held
     */
    public boolean awaitTurn(GroupedIncrement increment, Duration timeout) {
        return lone.awaitTurn(increment.counter(), increment.remaining(timeout).toNanos());
    }

    /** Ends the turn of an increment that went alone. */
    public void endTurn(GroupedIncrement increment, boolean succeeded) {
        lone.endTurn(increment.counter(), succeeded);
    }

    /** Registers a listener for groups, which replaces the previous listener. */
    public void listen(Listener newListener) {
        listener = newListener;
    }

    /** {@return the number of queued operations, as of now} */
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
                applyNext(SILENCE, () -> queue.take(Group::takeFrom));
            }
        } catch (InterruptedException e) {
            log.debug("Interrupted.", e);
        }
    }

    /**
     * Applies a group with a connection in autocommit, or completes it as failed if there is none.
     *
     * @param silence the silence of the server after which the connection is abandoned
     * @param next takes the group
     */
    private void applyNext(Duration silence, Supplier<List<GroupedIncrement>> next) {
        List<GroupedIncrement> group = null;
        try (Connection connection = dataSource.getConnection()) {
            SilenceLimit limit = SilenceLimit.begin(connection, silence);
            boolean autoCommit = connection.getAutoCommit();
            try {
                if (!autoCommit) {
                    connection.setAutoCommit(true);
                }
                group = next.get();
                applyTogether(connection, group);
            } finally {
                if (!connection.isClosed()) {
                    limit.end();
                    if (!autoCommit) {
                        connection.setAutoCommit(false);
                    }
                }
            }
        } catch (SQLException | RuntimeException | Error e) {
            List<GroupedIncrement> failed = group == null ? next.get() : group;
            failed.forEach(increment -> increment.failed(e, false)); // the thread continues
        }
    }

    private void applyTogether(Connection connection, List<GroupedIncrement> group) {
        if (group.isEmpty()) {
            return; // all callers have stopped waiting
        }
        long begin = System.nanoTime();
        try {
            applier.commit(connection, group);
        } catch (SQLException e) {
            log.debug("A group has failed.", e);
            group.forEach(increment -> {
                lone.suspect(increment.counter());
                increment.sendAlone();
            });
        }
        long took = System.nanoTime() - begin;
        queue.ended(group.size(), took);
        Duration waited = Duration.ofNanos(begin - group.get(0).queuedAt());
        listener.ended(group.size(), waited, Duration.ofNanos(took));
    }
}
