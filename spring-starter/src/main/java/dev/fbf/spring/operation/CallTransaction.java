package dev.fbf.spring.operation;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A transaction with operations. The defaults suit an operation that was committed separately. */
public interface CallTransaction {

    CallTransaction NONE = new CallTransaction() {};

    /** Called when the work of an operation has returned. */
    default void returned(Claim claim) {}

    /** Returns the state of the transaction for an operation, as reported by its manager. */
    default OperationTransaction.State state(Claim claim) {
        return OperationTransaction.State.COMMITTED;
    }

    /** Returns whether the transaction has ended, even if its end was not reported. */
    default boolean isCompleted() {
        return true;
    }

    /**
     * Determines, after the end of the transaction, whether it did not enter an operation: a duplicate, or one that another transaction was
     * entering.
     *
     * @return the refusal; null if the operation was entered, or failed for another reason
     */
    default @Nullable Refusal failedEntry(Claim claim) {
        return null;
    }

    /**
     * Waits for the outcome of an operation in doubt.
     *
     * @param failure the failure of the transaction
     * @return {@link Refusal#APPLIED}, {@link Refusal#IN_DOUBT} if the outcome is not known in time, or null if the operation was not
     *     applied, or not in doubt
     */
    default @Nullable Refusal awaitSettled(Claim claim, Throwable failure, Duration timeout) {
        return null;
    }
}
