package dev.fbf.spring.operation;

import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationRefusedException;
import org.jspecify.annotations.Nullable;

/** An operation that was admitted: from its claim to its outcome. The work is called in its context. */
public interface AdmittedOperation extends CallContext {

    /** What an operation does: called again for another attempt, if the one before did nothing. */
    @FunctionalInterface
    interface Attempt<T, E extends Throwable> {
        @Nullable T apply(AdmittedOperation operation) throws E;
    }

    /**
     * Makes an attempt, and finds out what became of it.
     *
     * @param observed is told why the operation is refused, if that is thrown
     * @return why the work is not done; null if it is, and {@link #result()} is what it has returned
     * @throws OperationRefusedException if that is not known
     * @throws E what the work has thrown: it stands, but where the work was done and only its commit got no response
     */
    <T, E extends Throwable> @Nullable Refusal apply(OperationObservationContext observed, Attempt<T, E> attempt)
            throws E;

    /** What the work has returned. */
    @Nullable Object result();

    /** The scope of the operation. */
    String scope();

    /** The transaction that it is part of; null if there is none, or none yet. */
    @Nullable Object transaction();

    /** Whether its transaction has rolled back although its work has returned, so that it is new still. */
    boolean isRolledBack();

    /** Whether its outcome is that of its caller's transaction, and not known yet when the method has returned. */
    boolean followsCaller();

    /**
     * Tells, once its transaction has ended, why the operation is not applied, or is applied though its caller has not learned that.
     *
     * @param failure what was thrown instead
     * @return null if the failure itself stands
     */
    @Nullable Refusal settle(Throwable failure);
}
