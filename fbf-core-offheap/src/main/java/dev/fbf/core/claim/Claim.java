package dev.fbf.core.claim;

import dev.fbf.core.OperationId;
import java.time.Duration;

/**
 * Exclusive right of a request to apply an operation.
 *
 * <p>The holder ends a claim by {@link #applied} or {@link #free}, or passes it to a transaction, which ends or returns
 * it. Any thread may do so. A second end throws an {@link IllegalStateException}.
 */
public non-sealed interface Claim extends Admission {

    /** {@return the claimed operation} */
    OperationId id();

    /** {@return the retry window of its scope: the time after the operation in which its retries may arrive} */
    Duration retryWindow();

    /**
     * Puts the operation's request in the scope's filter now, before the operation, and again when the operation is applied, so that the
     * filter remembers the request at least as long. This is harmless if the operation is not applied.
     *
     * @param request identifies the operation and the content of its request
     * @throws dev.fbf.core.StorageException if a file of the filter failed
     */
    void requestedBy(OperationId request);

    /** {@return whether the claim has neither ended nor been passed to a transaction} */
    boolean isHeld();

    /** Ends the claim of an applied operation: puts the operation in the filter, then frees the claim. */
    void applied();

    /** Ends the claim without putting the operation in the filter; the next attempt may claim it. */
    void free();
}
