package dev.fbf.spring.operation;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.IdempotentScope;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Enters the work of a call in its operation's transaction. The defaults suit a backend without transactions. */
public interface CallContext {

    /** Returns the scope of the operation. */
    String scope();

    /**
     * Calls the work, as part of the execution.
     *
     * @return the result of the work; null also if the execution was refused
     */
    default <T extends @Nullable Object, E extends Throwable> @Nullable T call(
            Execution execution, IdempotentScope.Work<T, E> work) throws E {
        return work.run();
    }

    /** Returns the transaction in which the call was made; null if there is none. */
    default @Nullable Transaction caller() {
        return null;
    }

    /** Returns the longest wait for an outcome that is in doubt. */
    default Duration settleTimeout() {
        return Duration.ZERO;
    }

    /** Called when the work has returned: the call no longer uses the caller's connection. */
    default void left() {}

    /**
     * Returns the refusal if an operation that was not applied can be applied later.
     *
     * @param failure the exception of the attempt
     * @param entered the operation's transaction; null if there was none
     * @return null if the failure has another reason
     */
    default @Nullable Refusal unavailability(Throwable failure, @Nullable Transaction entered) {
        return null;
    }

    /** A transaction with operations. The defaults suit an operation that was committed separately. */
    interface Transaction {

        Transaction NONE = new Transaction() {};

        /** Called when the work of an operation has returned. */
        default void returned(Claim claim) {}

        /** Returns the end of the transaction for an operation, as reported by its manager. */
        default End end(Claim claim) {
            return End.COMMITTED;
        }

        /** Returns whether it has ended, even if the end was not reported. */
        default boolean isCompleted() {
            return true;
        }

        /**
         * Determines after the end of the transaction whether an operation failed because it was a duplicate.
         *
         * @return the refusal; null if that was not the reason
         */
        default @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
            return null;
        }

        /**
         * Waits for the outcome of an operation in doubt.
         *
         * @return {@link Refusal#APPLIED}, {@link Refusal#IN_DOUBT} if the outcome is not known in time, or null if the operation was not
         *     applied, or not in doubt
         */
        default @Nullable Refusal settle(Claim claim, Duration timeout) {
            return null;
        }
    }

    /** How a transaction has ended, as known to this process. */
    enum End {
        OPEN,
        COMMITTED,
        ROLLED_BACK,
        IN_DOUBT
    }
}
