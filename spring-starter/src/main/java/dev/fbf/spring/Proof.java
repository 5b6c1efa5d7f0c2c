package dev.fbf.spring;

import dev.fbf.core.guard.Claim;
import dev.fbf.core.guard.Refusal;
import dev.fbf.db.TransactionOutcome;
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

    /**
     * Enters an operation in the transaction, before the SQL of its method or together with the first of it. A new one's
     * claim follows the transaction.
     *
     * @param fingerprint of the request; null if requests are not compared
     * @param scope what is lost if the transaction rolls back
     * @return null if it was entered, also if that turns out with the first SQL only; if it does not, that SQL fails. {@link
     *     Refusal#APPLIED}: the claim was freed. {@link Refusal#IN_PROGRESS}: the claim is still held. {@link Refusal#RECOVERING}: nothing
     *     can be proved of the transaction, which must roll back, and the claim was freed
     * @throws SQLException if that fails; the transaction must roll back, and the claim follows it or is still held
     */
    @Nullable Refusal enter(Claim claim, @Nullable Long fingerprint, TransactionConnection connection, Scope scope)
            throws SQLException;

    /**
     * What the database says of an operation that was taken for new until the first SQL of its method failed, once its
     * transaction has ended; null if that was not the reason. If this returns something, the claim was freed.
     */
    @Nullable Refusal failedEntry(Claim claim, Duration timeout);

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

    /** Waits for the outcome of an operation that was entered; null if the transaction is not in doubt. */
    @Nullable TransactionOutcome settle(Claim claim, Duration timeout);
}
