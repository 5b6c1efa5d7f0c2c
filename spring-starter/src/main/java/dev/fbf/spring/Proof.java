package dev.fbf.spring;

import dev.fbf.core.guard.Claim;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the database holds of a transaction's operations, so that their outcome can be told. One for each transaction. */
interface Proof {

    /** What is lost if the transaction rolls back. */
    enum Scope {
        /** What the caller did in it before. */
        CALLERS,
        /** This call alone. */
        CALL,
        /** This call, which leaves no trace elsewhere, so that it may have begun. */
        CALL_WITHOUT_TRACE
    }

    /** What the database says of an operation before its method runs. */
    enum Entry {
        /** It is new, and applied if the transaction commits. */
        NEW,
        /** It was applied before; the claim was freed. */
        DUPLICATE,
        /** Another process is applying it; the claim is still held. */
        IN_PROGRESS,
        /** Nothing could be proved of the transaction, which must roll back; the claim was freed. */
        IMPOSSIBLE
    }

    /** How an operation that was in doubt came out. */
    enum Outcome {
        NOT_IN_DOUBT,
        APPLIED,
        NOT_APPLIED,
        UNKNOWN
    }

    /**
     * Enters an operation in the transaction, before the SQL of its method or together with the first of it. A new one's
     * claim follows the transaction.
     *
     * @param fingerprint of the request; null if requests are not compared
     * @param scope what is lost if the transaction rolls back
     * @return {@link Entry#NEW} also if that turns out with the first SQL only; if it does not, that SQL fails
     * @throws SQLException if that fails; the transaction must roll back, and the claim follows it or is still held
     */
    Entry enter(Claim claim, @Nullable Long fingerprint, TransactionConnection connection, Scope scope)
            throws SQLException;

    /**
     * What the database says of an operation that was taken for new until the first SQL of its method failed, once its
     * transaction has ended; null if that was not the reason. If this returns something, the claim was freed.
     */
    @Nullable Entry failedEntry(Claim claim, Duration patience);

    /** How many operations were entered. */
    int size();

    /**
     * Takes an operation out of the transaction, before anything was sent for it: then its claim is held again.
     *
     * @return whether that was possible
     */
    boolean withdraw(Claim claim);

    /** The transaction went back to a savepoint at which so many operations had been entered. */
    void undoAfter(int count);

    /** COMMIT comes next. */
    void beforeCommit();

    /** COMMIT is known. */
    void committed();

    /** The transaction surely did not commit and never will. */
    void rolledBack();

    /** Nobody knows whether it committed. */
    void inDoubt();

    /** Waits for the outcome of an operation that was entered. */
    Outcome settle(Claim claim, Duration patience);
}
