package dev.fbf.db;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.LostCommits;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.claim.WitnessedTransaction;
import dev.fbf.core.filter.ForgetfulBloomFilter;
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

/** Decides, in one database, whether an operation was applied. Thread-safe. */
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

    /** Asks the database what this thread's transaction sees, if the thread has one. */
    public interface Lookup {

        <T> @Nullable T ask(Question<T> question);
    }

    /** A question to the database. */
    @FunctionalInterface
    public interface Question<T> {

        @Nullable T ask(Connection connection) throws SQLException;
    }

    /**
     * Checks that the database has the tables, and that its user may write there.
     *
     * @throws SQLException if it has not (SQL state 42P01 or 3F000), the user may not (42501), or it cannot be reached
     */
    public abstract void check(Connection connection) throws SQLException;

    /**
     * Checks that operations can be recorded, with a connection of its own: what {@link #check} does, that the counters in use can be
     * written, and that the database is not read-only.
     *
     * @throws SQLException if they cannot (SQL states as for {@link #check}, and 25006), or the database does not respond soon
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

    /** Waits until what the last process left in doubt is settled, as far as its scopes are open, while the database responds. */
    public abstract void awaitRecovered(Duration timeout);

    /** {@return the outcomes found so far of the operations that the last process left in doubt} */
    public abstract Recovery recovery();

    /** {@return whether operations can be applied} */
    public abstract boolean isReady();

    /** {@return what this keeps of one transaction that applies operations: of a new one} */
    public abstract OperationTransaction.Entries newEntries();

    /**
     * What is known of an operation that was applied.
     *
     * @param fingerprint that of its request; null if it is not known here
     * @param response to its request, or the note that it is not kept; null if neither was found
     * @param isAwaited whether the response may be written soon
     */
    public record Applied(
            @Nullable Long fingerprint, @Nullable Response response, boolean isAwaited) {

        /** An operation of which nothing is known here but that it was applied. */
        public static final Applied NO_DETAILS = new Applied(null, null, false);
    }

    /** {@return what is known of an operation that the filter has found; null if it was not applied} */
    public abstract @Nullable Applied find(OperationId id);

    /** {@return whether the database has recorded that an operation was applied, as far as it records that} */
    public abstract boolean hasRecorded(OperationId id);

    /**
     * Notes the request of an operation that may be applied now.
     *
     * @param fingerprint 64 bits of the request
     */
    public abstract void claimed(Claim claim, long fingerprint);

    /**
     * {@return whether an applied operation was asked for by a request like this one, as far as that is known}
     *
     * @param applied what was {@linkplain #find found}; null if nothing
     * @param fingerprint 64 bits of this request
     * @param filter has found the operation
     */
    public abstract boolean recognizes(
            OperationId id, @Nullable Applied applied, long fingerprint, ForgetfulBloomFilter filter);

    /**
     * {@return what keeps the responses to the requests of operations that were applied; null if responses are not kept}
     *
     * @param retention for how long
     */
    public abstract @Nullable Consumer<Response> responses(Duration retention);

    /** {@return how many responses could not be kept} */
    public long droppedResponses() {
        return 0;
    }

    /**
     * {@return the response to the request that applied an operation; null if it was not kept} Waits a while for a response that may be
     * on its way.
     *
     * @param applied what was {@linkplain #find found}; null if nothing
     */
    public abstract @Nullable Response response(OperationId id, @Nullable Applied applied);

    /**
     * {@return the counters of a table, which this arbiter closes}
     *
     * @param table the table; null for {@code fbf_counter}, whose counters have names of 1 to 255 characters and begin at 0
     * @param timeout how long a {@linkplain Counters#value read} takes at most, beside the time until the data source gives a
     *     connection, in autocommit
     * @throws IllegalArgumentException if there is no such table, or its columns are not like that
     * @throws SQLException if fbf's tables are not there (SQL state 42P01), or the database cannot be reached
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
     * @return {@link Refusal#APPLIED} if it was applied; {@link Refusal#IN_DOUBT} if that is not known in time; null if it was not
     *     applied
     */
    public abstract @Nullable Refusal settle(GroupedIncrement increment, Duration timeout);

    /**
     * {@return the commits that the database has forgotten, until their loss is accepted; null if there are none, or if the record
     * that decides on operations is forgotten along with them}
     */
    public @Nullable LostCommits lostCommits() {
        return null;
    }

    /** Notes that an operator has accepted the loss. */
    public void acceptLostCommits() {
        // there is no loss to accept
    }

    /** {@return the transactions that are in doubt now and can be settled} */
    public abstract Collection<WitnessedTransaction> inDoubt();

    /** Registers a listener for the time it took to settle a COMMIT without a response. Must be quick; its exceptions are logged. */
    public abstract void onSettled(Consumer<Duration> listener);

    /** Ends the background threads. Increments that wait to be applied together still are; this does not wait for them. */
    @Override
    public void close() {
        groups.forEach(GroupCommit::close);
    }
}
