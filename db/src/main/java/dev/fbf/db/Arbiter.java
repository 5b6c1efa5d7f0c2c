package dev.fbf.db;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.witness.LostCommits;
import dev.fbf.core.witness.WitnessedTransaction;
import dev.fbf.db.connection.SilenceLimit;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.group.GroupCommit;
import dev.fbf.db.group.GroupedIncrement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Arbiter of a database, which determines whether operations were applied. Thread-safe. */
public abstract class Arbiter implements AutoCloseable {

    protected final DataSource dataSource;

    private static final Duration RESPONSE_TO_CHECK = Duration.ofSeconds(2);

    private final FbfSchema schema;
    private final List<GroupCommit> groups = new CopyOnWriteArrayList<>();
    private volatile boolean usesOwnCounters;

    public Arbiter(DataSource dataSource, FbfSchema schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /** Executor of queries in this thread's transaction, or on a new connection if the thread has none. */
    public interface Lookup {

        <T> @Nullable T ask(Question<T> question);
    }

    @FunctionalInterface
    public interface Question<T> {

        @Nullable T ask(Connection connection) throws SQLException;
    }

    /**
     * Checks that the database has the tables, and that its user has the necessary privileges.
     *
     * @throws SQLException if a table is missing (SQL state 42P01 or 3F000), a privilege is missing (42501), or the database cannot
     *     be reached
     */
    public abstract void check(Connection connection) throws SQLException;

    /**
     * Checks with a separate connection that operations can be recorded: {@link #check}, that the database is not read-only, and that
     * {@code fbf_counter} can be written if it is in use.
     *
     * @throws SQLException if operations cannot be recorded (SQL states as for {@link #check}, and 25006), or the database is silent
     *     for 2 seconds
     */
    public final void checkAgain() throws SQLException {
        SilenceLimit.inConnection(dataSource, RESPONSE_TO_CHECK, connection -> {
            FbfSchema.requireWritable(connection);
            check(connection);
            if (usesOwnCounters) {
                schema.check(connection, "{fbf}.fbf_counter", "SELECT INSERT UPDATE");
            }
        });
    }

    /** Starts the background threads. */
    public abstract void start();

    /**
     * Waits until each transaction that the last process left in doubt is settled or requires an operator's decision, if its scopes are
     * open. Stops waiting when the database does not respond.
     *
     * @param timeout the longest time to wait
     */
    public abstract void awaitRecovered(Duration timeout);

    /** {@return the outcomes of the operations that the last process left in doubt; known once a recovery is complete} */
    public abstract Recovery recovery();

    /** {@return whether operations can be admitted: in filter mode, false until the witness's tokens were read} */
    public abstract boolean isReady();

    /** {@return new entries, for one transaction that applies operations} */
    public abstract OperationTransaction.Entries newEntries();

    /**
     * Details of an applied operation.
     *
     * @param fingerprint its request's fingerprint; null if it is not known here
     * @param response its response, or the marker that it is not kept; null if neither was found
     * @param isAwaited whether the response may be written soon
     */
    public record Applied(
            @Nullable Long fingerprint, @Nullable Response response, boolean isAwaited) {

        /** An applied operation without known details. */
        public static final Applied NO_DETAILS = new Applied(null, null, false);
    }

    /** {@return the details of an operation that the filter contains; null if it was not applied, or the server is not trusted yet} */
    public abstract @Nullable Applied find(OperationId id);

    /** {@return whether the ledger has an operation; false in filter mode, and while the server is not trusted} */
    public boolean hasRecorded(OperationId id) {
        return false;
    }

    /**
     * Records the request of an operation that was claimed.
     *
     * @param fingerprint the request's fingerprint
     */
    public void recordRequest(Claim claim, long fingerprint) {
        // the record of the operation contains its request
    }

    /**
     * {@return whether the request that applied an operation matches this one; true if that is not known}
     *
     * @param applied the result of {@link #find}; null if there is none
     * @param fingerprint the fingerprint of this request
     * @param filter the filter that contains the operation
     */
    public abstract boolean recognizes(
            OperationId id, @Nullable Applied applied, long fingerprint, ForgetfulBloomFilter filter);

    /**
     * {@return the store for responses to requests whose operations were applied; null if the database keeps none}
     *
     * @param retention the retention of the responses
     */
    public @Nullable Consumer<Response> responses(Duration retention) {
        return null;
    }

    /** {@return the number of responses that were dropped since the start} */
    public long droppedResponses() {
        return 0;
    }

    /**
     * {@return the response to the request that applied an operation; null if it was not kept} Waits for a limited time for a response that
     * may be written soon.
     *
     * @param applied the result of {@link #find}; null if there is none
     */
    public @Nullable Response response(OperationId id, @Nullable Applied applied) {
        return null;
    }

    /**
     * {@return the counters of a table, which this arbiter closes}
     *
     * @param table the table; null for {@code fbf_counter}, whose counters have names of 1 to 255 characters and begin at 0
     * @param timeout the limit of a {@linkplain Counters#value read}, without the time to obtain a connection
     * @throws IllegalArgumentException if the table does not exist, or its columns are not as {@link Counters.Table} requires
     * @throws SQLException if fbf's tables must be found on the search path and are not there (SQL state 42P01), or the database
     *     cannot be reached
     */
    public final Counters counters(Connection connection, Counters.@Nullable Table table, Duration timeout)
            throws SQLException {
        schema.find(connection);
        usesOwnCounters |= table == null;
        CounterTable found = table == null
                ? CounterTable.ofFbf(schema.counter())
                : CounterTable.of(connection, table.name(), table.key(), table.value());
        GroupCommit group = groupCommit(found);
        groups.add(group);
        return new Counters(found, group, dataSource, timeout);
    }

    protected abstract GroupCommit groupCommit(CounterTable counters);

    /**
     * Waits for the outcome of an operation whose group's COMMIT got no response.
     *
     * @param timeout the longest time to wait
     * @return {@link Refusal#APPLIED} if it was applied; {@link Refusal#IN_DOUBT} if the outcome is not known in time; null if it was
     *     not applied
     */
    public abstract @Nullable Refusal awaitSettled(GroupedIncrement increment, Duration timeout);

    /**
     * {@return the commits that the database has lost, until the loss is accepted; null if there are none, and in ledger mode, where the
     * ledger's rows are lost along with them}
     */
    public @Nullable LostCommits lostCommits() {
        return null;
    }

    /** Records that an operator has accepted the loss of commits. */
    public void acceptLostCommits() {
        // no losses are detected
    }

    /** {@return the transactions that are in doubt and can be settled, as of now} */
    public abstract Collection<WitnessedTransaction> inDoubt();

    /** Registers a listener for the time to settle a COMMIT without a response. The listener must be quick; its exceptions are logged. */
    public abstract void onSettled(Consumer<Duration> listener);

    /** Ends the background threads. Pending increments are still applied; this call does not wait for them. */
    @Override
    public void close() {
        groups.forEach(GroupCommit::close);
    }
}
