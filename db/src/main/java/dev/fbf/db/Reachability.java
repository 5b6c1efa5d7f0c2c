package dev.fbf.db;

import static java.util.Objects.requireNonNull;

import dev.fbf.db.connection.Background;
import dev.fbf.db.connection.SilenceLimit;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Monitor of a database: a dedicated thread regularly checks whether it responds and can be written. Thread-safe. */
public final class Reachability implements AutoCloseable {

    /*
     * A check can block for the pool's whole connection timeout. Therefore the time since the last success decides, regardless of the check
     * in progress. Commits count as successes, so that an exhausted pool is not reported as an unreachable database.
     */
    private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(1);

    private static final Duration AFTER_FAILURE = Duration.ofMillis(250);
    private static final Duration RESPONSE = Duration.ofSeconds(2);
    private static final long LONGEST_SILENCE = Duration.ofSeconds(4).toNanos();

    private final String database;
    private final DataSource dataSource;
    private final LongSupplier nanoTime;
    private final Background checks;

    /** Null before {@link #start}. */
    private volatile @Nullable Contact last;

    /**
     * The last success.
     *
     * @param at the time of the success, by the monotonic clock
     * @param failure the message of the last failed check since then; null if none has failed
     */
    private record Contact(long at, @Nullable String failure) {

        Contact failed(String because) {
            return new Contact(at, because);
        }
    }

    public Reachability(String database, DataSource dataSource) {
        this(database, dataSource, System::nanoTime);
    }

    Reachability(String database, DataSource dataSource, LongSupplier nanoTime) {
        this.database = database;
        this.dataSource = dataSource;
        this.nanoTime = nanoTime;
        checks = new Background(
                "fbf-reachability-" + database,
                "The database " + database + " cannot be checked now",
                AFTER_FAILURE,
                early -> check());
    }

    /** Starts the checks. Until then, the database counts as reachable. */
    public void start() {
        last = contactNow();
        checks.start(BETWEEN_CHECKS);
    }

    Duration check() {
        try {
            SilenceLimit.inConnection(dataSource, RESPONSE, FbfSchema::requireWritable);
            last = contactNow();
            return BETWEEN_CHECKS;
        } catch (SQLException | RuntimeException e) {
            last = requireNonNull(last).failed(e.toString());
            return AFTER_FAILURE;
        }
    }

    /** Records a COMMIT as a success. */
    public void committed() {
        Contact contact = last;
        if (contact != null && age(contact) > BETWEEN_CHECKS.toNanos()) {
            last = contactNow();
        }
    }

    /** {@return the reason why operations cannot be applied, as text for operators; null if the last success is less than 4 seconds ago} */
    public @Nullable String obstacle() {
        Contact contact = last;
        if (contact == null || age(contact) < LONGEST_SILENCE) {
            return null;
        }
        return "Database " + database + ": operations are refused or blocked, because for "
                + Duration.ofNanos(age(contact)).toSeconds() + " s it could not be written: "
                + (contact.failure == null ? "there is no connection or no response yet" : contact.failure)
                + ". Check the database, the network and the connection pool; operations are applied once it responds.";
    }

    private Contact contactNow() {
        return new Contact(nanoTime.getAsLong(), null);
    }

    private long age(Contact contact) {
        return nanoTime.getAsLong() - contact.at;
    }

    @Override
    public void close() {
        checks.close();
    }
}
