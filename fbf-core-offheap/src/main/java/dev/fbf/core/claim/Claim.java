package dev.fbf.core.claim;

import dev.fbf.core.OperationId;
import java.time.Duration;

/**
 * Exclusive right of a request to apply an operation, from admission until the outcome is known.
 *
 * <p>The holder ends a claim by exactly one of its methods, or passes it to a {@link WitnessedTransaction}, which ends it. Any thread may
 * do so. A second end throws an {@link IllegalStateException}.
 */
public non-sealed interface Claim extends Admission {

    /** {@return the claimed operation} */
    OperationId id();

    /** {@return the stated retry window of its scope: the time after the operation in which its retries may arrive} */
    Duration retryWindow();

    /**
     * Puts the operation's request in the scope's filter now: a crash must not leave an operation without its request. Puts it again when
     * the operation is applied, so that both are remembered equally long. This is harmless if the operation is not applied.
     *
     * @param request identifies the operation and the content of its request
     */
    void requestedBy(OperationId request);

    /** {@return whether the claim has neither ended nor been passed to a transaction} */
    boolean isHeld();

    /** Ends the claim of an applied operation: puts the operation in the filter, then frees the claim. */
    void applied();

    /** Ends the claim without putting the operation in the filter; the next attempt may claim it. */
    void free();
}
