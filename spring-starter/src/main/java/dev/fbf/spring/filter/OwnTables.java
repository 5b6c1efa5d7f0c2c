package dev.fbf.spring.filter;

import dev.fbf.db.OperationStore;
import dev.fbf.db.connection.SqlFailures;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** State of a database's fbf tables: usable or not. Thread-safe. */
final class OwnTables {

    /*
     * Usable -> Unusable -> Usable. A failed statement may belong to the application, to fbf, or to both. So the database is checked after
     * failures of a kind that fbf's tables can cause. At most once per second, a check determines whether the tables are usable again.
     */
    private static final Logger log = LoggerFactory.getLogger(OwnTables.class);

    private static final long VALID = Duration.ofSeconds(1).toNanos();
    private static final long BETWEEN_LINES = Duration.ofMinutes(1).toNanos();

    private final String database;
    private final OperationStore store;

    /** Lock in place of a monitor, which would pin a virtual thread that waits for the database. */
    private final ReentrantLock checking = new ReentrantLock();

    private volatile State state = new Usable();

    private sealed interface State {}

    private record Usable() implements State {}

    /**
     * State of unusable tables.
     *
     * @param because the database's error
     * @param checkedAt the time of the last check, by {@link System#nanoTime()}
     * @param loggedAt the time of the last log message, by {@link System#nanoTime()}
     */
    private record Unusable(String because, long checkedAt, long loggedAt) implements State {

        boolean isFresh() {
            return System.nanoTime() - checkedAt < VALID;
        }
    }

    OwnTables(String database, OperationStore store) {
        this.database = database;
        this.store = store;
    }

    /** Returns whether a failure is of a kind that unusable tables cause, and the tables are unusable now. */
    boolean areReasonFor(Throwable failure) {
        return isSuspicious(failure) && !areUsable();
    }

    private static boolean isSuspicious(Throwable failure) {
        return SqlFailures.causes(failure)
                .anyMatch(cause -> cause instanceof SQLException e && SqlFailures.isOfTable(e));
    }

    /** Returns whether the tables are usable according to the last check, without a new one. */
    boolean seemUsable() {
        return state instanceof Usable;
    }

    /** Returns the reason why the tables cannot be used, for operators; null if no failure was found, or they are usable again. */
    @Nullable String obstacle() {
        if (!seemUsable()) {
            areUsable();
        }
        return state instanceof Unusable unusable
                ? "Database " + database + ": operations are refused, because they cannot be recorded: "
                        + unusable.because
                : null;
    }

    private boolean areUsable() {
        checking.lock();
        try {
            if (state instanceof Unusable unusable && unusable.isFresh()) {
                return false;
            }
            store.checkAgain();
            noteUsable();
            return true;
        } catch (SQLException e) {
            noteUnusable(e);
            return false;
        } finally {
            checking.unlock();
        }
    }

    private void noteUsable() {
        if (state instanceof Unusable) {
            state = new Usable();
            log.atInfo()
                    .addKeyValue("database", database)
                    .log("Operations can be recorded again in the database {}.", database);
        }
    }

    private void noteUnusable(SQLException e) {
        long now = System.nanoTime();
        long loggedAt = state instanceof Unusable known ? known.loggedAt : now - BETWEEN_LINES;
        boolean logs = now - loggedAt >= BETWEEN_LINES;
        state = new Unusable(String.valueOf(e.getMessage()), now, logs ? now : loggedAt);
        if (logs) {
            log.atError()
                    .addKeyValue("database", database)
                    .log(
                            "Operations cannot be recorded in the database {}: {} (SQL state {}). They get 503 until"
                                    + " they can. Restore fbf's tables, or the user's privileges on them (GRANT SELECT,"
                                    + " INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA … TO …); or make a read-only"
                                    + " database writable again.",
                            database,
                            e.getMessage(),
                            e.getSQLState());
        }
    }
}
