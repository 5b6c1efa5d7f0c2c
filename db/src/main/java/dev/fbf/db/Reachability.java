package dev.fbf.db;

import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Monitor of a database: a dedicated thread checks whether it responds and can be written, at intervals and after a failure, and after that of a
 * statement of fbf whether operations can be recorded. Thread-safe.
 */
public final class Reachability implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Reachability.class);

    /*
     * A check can block for the pool's whole connection timeout. Therefore the time since its start decides, whether it has failed or not
     * ended yet. Commits restart that time, so that an exhausted pool is not reported as an unreachable database.
     */
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(10);

    /** The shortest pause between checks that operations and operators ask for. */
    private static final long BETWEEN_QUESTIONS = Duration.ofSeconds(1).toNanos();

    private static final Duration AFTER_FAILURE = Duration.ofMillis(250);
    private static final Duration RESPONSE = Duration.ofSeconds(2);
    private static final long BETWEEN_LINES = Duration.ofMinutes(1).toNanos();

    private static final long LONGEST_SILENCE = Duration.ofSeconds(4).toNanos();

    private final String database;
    private final DataSource dataSource;
    private final LongSupplier nanoTime;
    private final Background checks;

    private final AtomicReference<@Nullable Failing> failing = new AtomicReference<>();
    private final AtomicLong nextLine;

    private volatile Remedies remedies = (connection, failed) -> {};

    /** Null while the last check has succeeded. */
    private final AtomicReference<@Nullable Silent> silence = new AtomicReference<>();

    private volatile long reachedAt;

    /**
     * No check has succeeded since a time.
     *
     * @param since the begin of the first check, or a later COMMIT, by the monotonic clock
     * @param failure the message of the last failed check; null if none has failed
     */
    private record Silent(long since, @Nullable String failure) {}

    /** Failure of an fbf statement, until a check succeeds. */
    private record Failing(long since, SQLException failure) {}

    /** Actions when the database responds. */
    public interface Remedies {

        /**
         * Completes the start; checks that operations can be recorded.
         *
         * @param failed whether a statement of fbf has failed since the last such check
         */
        void reached(Connection connection, boolean failed) throws SQLException;

        /** Creates fbf's tables again, if one does not exist and fbf may create it. */
        default void createTables() {}
    }

    public Reachability(String database, DataSource dataSource) {
        this(database, dataSource, System::nanoTime);
    }

    Reachability(String database, DataSource dataSource, LongSupplier nanoTime) {
        this.database = database;
        this.dataSource = dataSource;
        this.nanoTime = nanoTime;
        nextLine = new AtomicLong(nanoTime.getAsLong());
        reachedAt = nanoTime.getAsLong();
        checks = new Background(
                "fbf-reachability-" + database,
                "The database " + database + " cannot be checked now",
                AFTER_FAILURE,
                early -> check());
    }

    /**
     * Starts the checks. Until then, the database counts as reachable.
     *
     * @param whenReached the actions of each check when the database responds
     */
    public void start(Remedies whenReached) {
        remedies = whenReached;
        checks.start(BETWEEN_CHECKS);
    }

    Duration check() {
        Failing before = failing.get();
        silence.compareAndSet(null, new Silent(nanoTime.getAsLong(), null));
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, connection -> {
                Dialect.of(connection).requireWritable(connection);
                reachedAt = nanoTime.getAsLong();
                silence.set(null);
                remedies.reached(connection, before != null);
            });
            if (before != null && failing.compareAndSet(before, null)) {
                log.atInfo()
                        .addKeyValue("database", database)
                        .log("Operations can be recorded again in the database {}.", database);
            }
            return BETWEEN_CHECKS;
        } catch (SQLException | RuntimeException e) {
            silence.updateAndGet(known -> new Silent(known == null ? nanoTime.getAsLong() : known.since, e.toString()));
            if (before != null && e instanceof SQLException failure && SqlFailures.isOfMissingTable(failure)) {
                remedies.createTables();
            }
            return AFTER_FAILURE;
        }
    }

    /** Records that a statement of fbf has failed: operations are refused until a check succeeds. Logs that at intervals. */
    public void failed(SQLException e) {
        long now = nanoTime.getAsLong();
        failing.compareAndSet(null, new Failing(now, e));
        long next = nextLine.get();
        if (now - next >= 0 && nextLine.compareAndSet(next, now + BETWEEN_LINES)) {
            log.atError()
                    .addKeyValue("database", database)
                    .log(
                            "Operations cannot be recorded in the database {}: {} (SQL state {}). They get 503 until they can. Check"
                                    + " fbf's tables, the user's privileges on them (GRANT SELECT, INSERT, UPDATE, DELETE ON ALL"
                                    + " TABLES IN SCHEMA … TO …), locks on them, the user's timeouts, and the disk's free space.",
                            database,
                            String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                            e.getSQLState());
        }
        checks.wake();
    }

    /** Records a COMMIT: the database has responded. */
    public void committed() {
        Silent known = silence.get();
        if (known != null) {
            silence.compareAndSet(known, new Silent(nanoTime.getAsLong(), known.failure));
        }
    }

    /** Checks the database soon, because an operation could not reach it, or an operator asks; while it is silent, it is checked anyway. */
    public void wake() {
        if (silence.get() == null && age(reachedAt) > BETWEEN_QUESTIONS) {
            checks.wake();
        }
    }

    /**
     * {@return the reason why operations cannot be applied, as text for operators, as of the last check; null if it is younger than 4
     * seconds}
     */
    public @Nullable String obstacle() {
        wake();
        Silent silent = silence.get();
        if (silent == null || age(silent.since) < LONGEST_SILENCE) {
            Failing known = failing.get();
            return known == null || age(known.since) < LONGEST_SILENCE
                    ? null
                    : "Database " + database + ": operations are refused, because they cannot be recorded: "
                            + known.failure.getMessage();
        }
        return "Database " + database + ": operations are refused or blocked, because for "
                + Duration.ofNanos(age(silent.since)).toSeconds() + " s it could not be written: "
                + (silent.failure == null ? "there is no connection or no response yet" : silent.failure)
                + ". Check the database, the network and the connection pool; operations are applied once it responds.";
    }

    private long age(long time) {
        return nanoTime.getAsLong() - time;
    }

    @Override
    public void close() {
        checks.close();
    }
}
