package dev.fbf.db.witness;

import dev.fbf.core.DurationText;
import dev.fbf.core.witness.WitnessedDatabase;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.Pauses;
import dev.fbf.db.connection.SilenceLimit;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Settlement of a node's in-doubt transactions in a database. A dedicated thread repeats queries of the witness until each transaction is
 * settled, or left to an operator. Thread-safe.
 */
class Settler implements AutoCloseable {

    /*
     * All rounds run on one thread. The first one reads the slots' tokens. A round settles the transactions that are in doubt at its
     * beginning. The next round begins when another transaction can be settled, or, if some are left, after a pause that doubles from round
     * to round. The thread wakes up at least once per LONGEST_PAUSE, which limits the cost of a lost wake-up.
     *
     * A round waits at most RESPONSE for a response, because a dead connection would delay all settlements. It waits at most LOCK for a
     * lock, so that a stuck transaction does not delay the others.
     *
     * The rows of a node's slots are changed by the node's own transactions only, and a slot in doubt is not used again. So a transaction
     * that has changed the row of a slot in doubt is the one in doubt, and its connection can be ended. Either it belongs to a process that
     * is gone, since this one holds the directory's lock: its connection is ended before it is settled. Or this process abandoned it after
     * a lost connection: that connection is ended if the fence's wait for it times out.
     */
    private static final Logger log = LoggerFactory.getLogger(Settler.class);

    private static final String OLDER_DIRECTORY =
            "The directory of this node is older than the database {}, or the database was restored: {}. All"
                    + " operations of the scopes of its last transaction are refused for a retry window, because retries"
                    + " of operations that the directory lacks may arrive.";

    private static final String OUTCOME_UNKNOWN =
            "Outcome unknown for the operations {}: {}. Either the database was restored to an earlier state, or a"
                    + " power failure has lost this node's last writes. Retries of these operations are refused until you"
                    + " decide: compare the counters with their expected values.";

    private static final Duration RESPONSE = Duration.ofSeconds(5);
    private static final Duration LOCK = Duration.ofMillis(200);
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(10);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final DataSource dataSource;
    private final WitnessedDatabase database;
    private final WitnessTable table;
    private final Background work;

    /** Transactions that the witness cannot decide, after this was logged. An operator may decide them. */
    private final Set<WitnessedTransaction> unknown = new HashSet<>();

    private Duration pause = SHORTEST_PAUSE;

    /** Whether the last round failed because the database did not respond. */
    private volatile boolean failing;

    /** Whether the inability to end connections has been logged. */
    private boolean loggedCannotEvict;

    /** Time of the warning about transactions in doubt, by {@link System#nanoTime()}; null if all are settled since, or none was logged. */
    private @Nullable Long loggedAt;

    /** The longest time in which the server does not notice that the host of a connection is gone. */
    private Duration deadClientsFor = Duration.ZERO;

    /** The number of operations that the last process left in doubt, and that were decided on since. */
    private int recovered;

    /** The number of the last process's connections that had to be ended. */
    private int connectionsEnded;

    /** Creates a settler that is not started. */
    Settler(DataSource dataSource, WitnessedDatabase database, WitnessTable table) {
        this.dataSource = dataSource;
        this.database = database;
        this.table = table;
        work = new Background(
                "fbf-settle-" + database.name(),
                "Transactions in doubt cannot be settled in the database " + database.name() + " now",
                LONGEST_PAUSE,
                this::run);
    }

    /** Starts reading the witness's tokens, and settling the transactions that the previous process left in doubt. */
    void start() {
        database.onSettleable(work::wake);
        work.start(Duration.ZERO);
    }

    /** Waits as {@link WitnessStore#awaitRecovered} does; returns whether the recovery is complete. */
    boolean awaitRecovered(Duration timeout) {
        Pauses pauses = new Pauses(timeout);
        while (!database.isRecovered() && !failing && !work.isClosed() && pauses.pause()) {
            // asks again
        }
        return database.isRecovered();
    }

    /** Ends the thread. Transactions that are still in doubt stay in the node's file for the next process. */
    @Override
    public void close() {
        work.close();
    }

    /** Runs a round if one is due; returns the pause until the next call. */
    Duration run(boolean early) {
        if (!isDone()) {
            failing = !round();
        }
        if (isDone()) {
            pause = SHORTEST_PAUSE;
            return LONGEST_PAUSE;
        }
        Duration next = early ? SHORTEST_PAUSE : pause;
        Duration doubled = next.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        return next;
    }

    private boolean isDone() {
        return database.isReady() && database.settleable().stream().noneMatch(this::isQueryable);
    }

    /**
     * Returns whether a query of the witness can settle a transaction. Excludes transactions that await an operator's decision, unless they
     * have no operations and only need their slot's token.
     */
    private boolean isQueryable(WitnessedTransaction transaction) {
        return !unknown.contains(transaction) || transaction.operations().isEmpty();
    }

    /** Runs a round; returns whether the database has responded. */
    private boolean round() {
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, this::settleAll);
        } catch (SQLException | RuntimeException | Error e) {
            logInDoubt("does not respond (" + e + ")");
            return false;
        }
        sayRecovered();
        if (isDone()) {
            sayDone();
        } else {
            logInDoubt("has transactions that could not be settled yet");
        }
        return true;
    }

    private void sayRecovered() {
        if (recovered == 0 || !database.isRecovered()) {
            return;
        }
        log(Level.INFO)
                .log(
                        "Recovered {} operations that the last process left in doubt in the database {};"
                                + " connections of that process that had to be ended: {}. If its host is gone,"
                                + " transactions that had not sent COMMIT can hold locks, and delay retries, for up to"
                                + " {}: tcp_keepalives_idle and the other settings of the server decide.",
                        recovered,
                        database.name(),
                        connectionsEnded,
                        DurationText.of(deadClientsFor));
        recovered = 0;
    }

    /** Logs a warning when a period with transactions in doubt begins. */
    private void logInDoubt(String why) {
        if (loggedAt == null) {
            loggedAt = System.nanoTime();
            log(Level.WARN)
                    .log("The database {} {}: {} transactions are in doubt.", database.name(), why, database.inDoubt());
        }
    }

    private void sayDone() {
        if (loggedAt != null) {
            log(Level.INFO)
                    .log(
                            "All transactions in doubt in the database {} are settled, after {}.",
                            database.name(),
                            DurationText.of(Duration.ofNanos(System.nanoTime() - loggedAt)));
            loggedAt = null;
        }
    }

    private void settleAll(Connection connection) throws SQLException {
        if (!database.isReady()) {
            readTokens(connection);
        }
        Collection<WitnessedTransaction> settleable = database.settleable();
        unknown.retainAll(settleable);
        List<WitnessedTransaction> leftBehind =
                settleable.stream().filter(WitnessedTransaction::isLeftBehind).toList();
        if (!leftBehind.isEmpty()) {
            connectionsEnded += evict(
                    connection, leftBehind.stream().filter(this::isQueryable).toList());
            deadClientsFor = table.deadClientsFor(connection);
        }
        for (WitnessedTransaction transaction : settleable) {
            if (!work.isClosed() && isQueryable(transaction)) {
                settle(connection, transaction);
            }
        }
    }

    private void readTokens(Connection connection) throws SQLException {
        long[] known = database.tokens();
        database.setTokens(known, table.prepare(connection, database.slots()));
    }

    private void settle(Connection connection, WitnessedTransaction transaction) throws SQLException {
        Long token = table.settle(connection, transaction.slot(), transaction.previous(), transaction.next(), LOCK);
        int operations = transaction.operations().size();
        int leftBehind = transaction.isLeftBehind() ? operations : 0;
        if (token == null) {
            // only a transaction with operations can hold the row
            if (operations > 0 && evict(connection, List.of(transaction)) > 0) {
                log(Level.WARN)
                        .log(
                                "A transaction in doubt was still open in the database {}; its connection has been"
                                        + " ended.",
                                database.name());
            }
        } else if (token == transaction.next() || WitnessTable.isFence(token, transaction.next())) {
            boolean committed = token == transaction.next();
            if (transaction.settled(committed, token)) {
                recovered += leftBehind;
                log.debug("Slot {} was in doubt: settled as {}.", transaction.slot(), committed ? "applied" : "new");
            }
        } else {
            readTokens(connection); // those of other slots may be unexpected, too, or all rows missing
            boolean hasEnded = transaction.unresolved(token);
            recovered += leftBehind;
            String found = "slot " + transaction.slot() + " of the witness has token " + token + ", neither "
                    + transaction.previous() + " nor " + transaction.next();
            if (!hasEnded) {
                unknown.add(transaction);
                log(Level.ERROR).log(OUTCOME_UNKNOWN, transaction.operations(), found);
            } else if (operations > 0) {
                log(Level.ERROR).log(OLDER_DIRECTORY, database.name(), found);
            }
        }
    }

    /** Ends the connections of in-doubt transactions that are still open; returns their number. */
    private int evict(Connection connection, Collection<WitnessedTransaction> transactions) {
        try {
            return table.evict(
                    connection,
                    transactions.stream().map(WitnessedTransaction::slot).toList());
        } catch (SQLException e) {
            if (!loggedCannotEvict) {
                loggedCannotEvict = true;
                log(Level.WARN)
                        .log(
                                "Transactions in doubt may still be open in the database {}, and their connections"
                                        + " cannot be ended: {}",
                                database.name(),
                                e.toString());
            }
            return 0;
        }
    }

    private LoggingEventBuilder log(Level level) {
        return log.atLevel(level).addKeyValue("database", database.name());
    }
}
