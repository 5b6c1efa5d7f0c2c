package dev.fbf.db;

import dev.fbf.core.guard.WitnessedDatabase;
import dev.fbf.core.guard.WitnessedTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settles the transactions of a node that are in doubt in a database: asks the witness about each of them, again and
 * again until it answers. A thread of its own does so, with a connection of its own. Thread-safe.
 */
public final class Settler implements AutoCloseable {

    /*
     * A round settles what is unsettled now. The next one begins when another transaction comes to be in doubt, or, if
     * some are left, after a pause that doubles from round to round.
     *
     * No answer is waited for longer than `ANSWER`: a connection whose other end is gone would hold up everybody. Nor is
     * a lock longer than `LOCK`: the transactions of those that are stuck must not keep the others from being settled.
     */
    private static final Logger log = LoggerFactory.getLogger(Settler.class);

    /** How long a transaction in doubt may still be open before its connection is ended. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration LOCK = Duration.ofMillis(200);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private static final Executor IN_PLACE = Runnable::run;

    private final DataSource dataSource;
    private final WitnessedDatabase database;
    private final WitnessTable table;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition wake = lock.newCondition();

    /** The transactions that the witness cannot tell about, which was said. An operator may decide in its stead. */
    private final Set<WitnessedTransaction> unknown = new HashSet<>();

    /** Since when the transactions that are still open have been known to be, by {@link System#nanoTime()}. */
    private final Map<WitnessedTransaction, Long> stillOpen = new WeakHashMap<>();

    private boolean woken;

    /** Since when somebody has been told that transactions are in doubt, by {@link System#nanoTime()}. */
    private @Nullable Long saidAt;

    private volatile boolean closed;

    /**
     * Makes one; it does nothing before it is started.
     *
     * @param dataSource gives connections to the database, other than those of the transactions that are settled
     * @param database what is to be settled
     * @param table the witness
     */
    public Settler(DataSource dataSource, WitnessedDatabase database, WitnessTable table) {
        this.dataSource = dataSource;
        this.database = database;
        this.table = table;
        thread = new Thread(this::run, "fbf-settle-" + database.name());
        thread.setDaemon(true);
    }

    /**
     * Reads the witness's tokens and settles what the process before this one left in doubt, as far as the database
     * answers; the rest follows in the background.
     */
    public void start() {
        round();
        database.onDoubt(this::wake);
        thread.start();
    }

    /** Ends the thread. What is not settled by then stays in the node's file, for the next process. */
    @Override
    public void close() {
        closed = true;
        wake();
    }

    private void wake() {
        lock.lock();
        try {
            woken = true;
            wake.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        Duration pause = SHORTEST_PAUSE;
        while (!closed) {
            if (isDone()) {
                pause = SHORTEST_PAUSE;
                await(LONGEST_PAUSE);
            } else if (await(pause)) {
                pause = SHORTEST_PAUSE;
            } else {
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
            if (!closed && !isDone()) {
                round();
            }
        }
    }

    private boolean isDone() {
        return database.isReady() && database.unsettled().stream().noneMatch(this::canBeAskedFor);
    }

    /** One without operations has been decided, and lacks nothing but the token of its slot. */
    private boolean canBeAskedFor(WitnessedTransaction transaction) {
        return !unknown.contains(transaction) || transaction.operations().isEmpty();
    }

    /** Waits; tells whether it was woken. */
    private boolean await(Duration pause) {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!woken && left > 0) {
                left = wake.awaitNanos(left);
            }
            boolean wasWoken = woken;
            woken = false;
            return wasWoken;
        } catch (InterruptedException e) {
            closed = true;
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void round() {
        try (Connection connection = dataSource.getConnection()) {
            int timeout = connection.getNetworkTimeout();
            connection.setNetworkTimeout(IN_PLACE, (int) ANSWER.toMillis());
            try {
                askFor(connection);
            } finally {
                if (!connection.isClosed()) {
                    connection.setNetworkTimeout(IN_PLACE, timeout);
                }
            }
            if (isDone()) {
                sayDone();
            } else {
                sayInDoubt("has not told about every transaction yet");
            }
        } catch (SQLException | RuntimeException e) {
            sayInDoubt("does not answer (" + e + ")");
        }
    }

    /** Says so once until it is over. */
    private void sayInDoubt(String why) {
        if (saidAt == null) {
            saidAt = System.nanoTime();
            log.atWarn()
                    .addKeyValue("database", database.name())
                    .log("The database {} {}: {} transactions are in doubt.", database.name(), why, database.inDoubt());
        }
    }

    private void sayDone() {
        if (saidAt != null) {
            log.atInfo()
                    .addKeyValue("database", database.name())
                    .log(
                            "No transaction waits for the database {} any more, after {}.",
                            database.name(),
                            Duration.ofNanos(System.nanoTime() - saidAt));
            saidAt = null;
        }
    }

    private void askFor(Connection connection) throws SQLException {
        if (!database.isReady()) {
            database.begin(table.prepare(connection, database.slots()));
        }
        Collection<WitnessedTransaction> unsettled = database.unsettled();
        unknown.retainAll(unsettled);
        for (WitnessedTransaction transaction : unsettled) {
            if (!closed && canBeAskedFor(transaction)) {
                settle(connection, transaction);
            }
        }
    }

    private void settle(Connection connection, WitnessedTransaction transaction) throws SQLException {
        Settlement settlement =
                table.settle(connection, transaction.slot(), transaction.previous(), transaction.next(), LOCK);
        switch (settlement.outcome()) {
            case COMMITTED, NOT_COMMITTED -> {
                boolean committed = settlement.outcome() == Settlement.Outcome.COMMITTED;
                if (transaction.settled(committed, settlement.token())) {
                    log.debug(
                            "Slot {} was in doubt: settled as {}.", transaction.slot(), committed ? "applied" : "new");
                }
            }
            case STILL_RUNNING -> evictAfterAWhile(connection, transaction);
            case UNKNOWN -> {
                // what has befallen this row has befallen others
                database.begin(table.prepare(connection, database.slots()));
                if (!transaction.unknown(settlement.token())) {
                    unknown.add(transaction);
                    log.atError()
                            .addKeyValue("database", database.name())
                            .log(
                                    "Nobody knows whether the operations {} were applied: slot {} of the witness has token {},"
                                            + " neither {} nor {}. Either the database went back in time, or another process"
                                            + " has the same directory's copy and uses this node's name. Their retries are"
                                            + " refused until you decide: compare the counters with what they should be.",
                                    transaction.operations(),
                                    transaction.slot(),
                                    settlement.token(),
                                    transaction.previous(),
                                    transaction.next());
                }
            }
        }
    }

    /** Its application is this one, or the one before it, and has given it up: nobody waits for it any more. */
    private void evictAfterAWhile(Connection connection, WitnessedTransaction transaction) {
        long now = System.nanoTime();
        long since = stillOpen.computeIfAbsent(transaction, key -> now);
        if (now - since < GRACE.toNanos()) {
            return;
        }
        try {
            if (table.evict(connection, transaction.slot())) {
                log.atWarn()
                        .addKeyValue("database", database.name())
                        .log(
                                "A transaction in doubt was still open in the database {}; its connection has been ended.",
                                database.name());
            }
        } catch (SQLException e) {
            stillOpen.put(transaction, now);
            log.atWarn()
                    .addKeyValue("database", database.name())
                    .log(
                            "A transaction in doubt is still open in the database {}, and its connection cannot be ended: {}",
                            database.name(),
                            e.toString());
        }
    }
}
