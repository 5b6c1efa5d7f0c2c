package dev.fbf.db;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the database holds of a transaction's operations, so that their outcome can be told. One for each transaction. */
public interface Proof {

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
     * Enters an operation in the transaction, before the SQL of its method or together with the first of it; until then nothing is
     * written anywhere. A new one's claim follows the transaction.
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
     * Tells, once its transaction has ended, whether an operation that was taken for new was the reason why the first SQL of its
     * work failed.
     *
     * @param timeout how long to wait for the database
     * @return what the database says of the operation, whose claim was freed then; null if it was not the reason
     */
    @Nullable Refusal failedEntry(Claim claim, Duration timeout);

    /** {@return how many operations were entered and not taken back} */
    int size();

    /**
     * Takes back the latest operations, which are new again: the transaction goes back to a savepoint.
     *
     * @param count how many operations had been entered at the savepoint
     */
    void undoAfter(int count);

    /** Prepares for COMMIT, which comes next. */
    void beforeCommit();

    /** Notes that the transaction committed. */
    void committed();

    /** Notes that the transaction did not commit and never will. */
    void rolledBack();

    /** Notes that it is not known whether the transaction committed. */
    void inDoubt();

    /**
     * Waits for the outcome of an operation that was entered.
     *
     * @return {@link Refusal#APPLIED} if the transaction turned out to have committed; {@link Refusal#IN_DOUBT} if that is not
     *     known in time; null if it did not commit, or was not in doubt
     */
    @Nullable Refusal settle(Claim claim, Duration timeout);
}
