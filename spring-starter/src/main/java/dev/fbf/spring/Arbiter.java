package dev.fbf.spring;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.ForgetfulBloomFilter;
import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.WitnessedTransaction;
import dev.fbf.db.CounterTable;
import dev.fbf.db.GroupCommit;
import dev.fbf.db.GroupOutcome;
import dev.fbf.db.Recovery;
import dev.fbf.db.Response;
import dev.fbf.db.TransactionOutcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What decides, in one database, whether an operation was applied. Thread-safe. */
interface Arbiter extends AutoCloseable {

    /** Looks whether the database has what is needed. */
    void check(Connection connection) throws SQLException;

    /** Begins to work. */
    void start();

    /**
     * Waits until what the last process left in doubt is settled, as far as its scopes are open; for as long as the database
     * answers, and no longer than this.
     */
    void awaitRecovered(Duration timeout);

    /** What became of the operations that the last process left in doubt. */
    Recovery recovery();

    /** Whether operations can be applied. */
    boolean isReady();

    /**
     * Whether an operation need not be entered before its method runs.
     *
     * @param sqlOnly whether a call of the method that is rolled back leaves no trace
     */
    boolean entersWithFirstStatement(boolean sqlOnly);

    /** For a transaction that applies operations. */
    Proof newProof();

    /** Whether an operation that the filter has found was applied. */
    boolean confirms(OperationId id);

    /** Notes what the request of an operation is like that may be applied now. */
    void claimed(Claim claim, Operation operation);

    /** Whether an applied operation was asked for by a request like this one, as far as can be told. */
    boolean recognizes(Operation operation, ForgetfulBloomFilter filter);

    /** Keeps what is answered to the request of an operation that was applied; null if nothing is kept. */
    @Nullable Consumer<Response> responses();

    /** What was answered when the operation was applied; null if that is not known. */
    @Nullable Response response(OperationId id);

    /** What applies increments of many callers together. */
    GroupCommit groupCommit(CounterTable counters);

    /**
     * Waits for the outcome of an operation whose group's COMMIT got no response.
     *
     * @param unknown what is known of it
     */
    TransactionOutcome settle(OperationId id, GroupOutcome.Unknown unknown, Duration timeout);

    /** The transactions that are in doubt. */
    Collection<WitnessedTransaction> inDoubt();

    /** Registers a listener for how long it took to settle a COMMIT without a response. */
    void onSettled(Consumer<Duration> listener);

    @Override
    void close();
}
