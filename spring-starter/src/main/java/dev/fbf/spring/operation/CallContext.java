package dev.fbf.spring.operation;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.IdempotentScope;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes the work of a call take part in its operation. The defaults are those of a backend without transactions. */
public interface CallContext {

    /** The scope of the operation. */
    String scope();

    /**
     * Calls the work, as part of the execution.
     *
     * @return the result of the work; null, too, if the execution was refused
     */
    default <T extends @Nullable Object, E extends Throwable> @Nullable T call(
            Execution execution, IdempotentScope.Work<T, E> work) throws E {
        return work.run();
    }

    /** The transaction that the call came in; null if it came in none. */
    default @Nullable Transaction caller() {
        return null;
    }

    /** The longest wait for an outcome that is in doubt. */
    default Duration settleTimeout() {
        return Duration.ZERO;
    }

    /** Notes that the call has left the work, and uses no connection of the caller's any more. */
    default void left() {}

    /**
     * Returns why an operation that was not applied can be applied later.
     *
     * @param failure what was thrown
     * @param entered the transaction that the operation was part of; null if there was none
     * @return null if the failure has another reason
     */
    default @Nullable Refusal unavailability(Throwable failure, @Nullable Transaction entered) {
        return null;
    }

    /** A transaction that operations are part of. The defaults are those of an operation that was committed by itself. */
    interface Transaction {

        Transaction NONE = new Transaction() {};

        /** Notes that the work of an operation has returned. */
        default void returned(Claim claim) {}

        /** Returns how the transaction has ended for an operation, as far as its manager has reported that. */
        default End end(Claim claim) {
            return End.COMMITTED;
        }

        /** Whether it has ended, reported or not. */
        default boolean isCompleted() {
            return true;
        }

        /**
         * Finds out, once the transaction has ended, whether an operation failed because it was not new.
         *
         * @return why the operation is refused; null if it is not
         */
        default @Nullable Refusal failedEntry(Claim claim, Duration timeout) {
            return null;
        }

        /**
         * Waits for the outcome of an operation in doubt.
         *
         * @return {@link Refusal#APPLIED}, {@link Refusal#IN_DOUBT} if that is not known in time, or null if the operation was not
         *     applied, or not in doubt
         */
        default @Nullable Refusal settle(Claim claim, Duration timeout) {
            return null;
        }
    }

    /** How a transaction has ended. */
    enum End {
        OPEN,
        COMMITTED,
        ROLLED_BACK,
        IN_DOUBT
    }
}
