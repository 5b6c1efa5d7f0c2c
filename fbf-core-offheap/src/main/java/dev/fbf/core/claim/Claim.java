package dev.fbf.core.claim;

import dev.fbf.core.OperationId;
import java.time.Duration;

/**
 * The exclusive right of one request to apply one operation, from admission until the outcome is known.
 *
 * <p>The holder ends a claim by exactly one of its methods, or hands it to a {@link WitnessedTransaction}, which ends
 * it; any thread may. A second end throws an {@link IllegalStateException}.
 */
public non-sealed interface Claim extends Admission {

    /** {@return the claimed operation} */
    OperationId id();

    /** {@return the stated retry window of its scope: how long after the operation its retries may come} */
    Duration retryWindow();

    /**
     * Puts the operation's request in the scope's filter: now, since a crash must not separate the two, and again with
     * the operation, so that it is remembered for as long. This is harmless if the operation is not applied.
     *
     * @param request identifies the operation and the content of its request
     */
    void requestedBy(OperationId request);

    /** {@return whether the claim has neither ended nor been handed to a transaction} */
    boolean isHeld();

    /** Ends the claim of an applied operation: puts it in the filter, and only then frees the claim. */
    void applied();

    /** Ends the claim of an operation that was not applied, and that this claim never will apply: it is new again. */
    void rolledBack();
}
