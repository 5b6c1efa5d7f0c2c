package dev.fbf.core.claim;

import dev.fbf.core.OperationId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive right of a request to apply an operation.
 *
 * <p>The holder ends a claim by {@link #applied} or {@link #free}, or passes it to a transaction, which ends or returns
 * it. Any thread may do so. A second end throws an {@link IllegalStateException}.
 */
public non-sealed interface Claim extends Admission {

    OperationId id();

    /** {@return the fingerprint of the operation's request; null if requests are not compared} */
    @Nullable Long fingerprint();

    /** {@return the retry window of its scope: the time after the operation in which its retries may arrive} */
    Duration retryWindow();

    /** {@return whether the claim has neither ended nor been passed to a transaction} */
    boolean isHeld();

    /** Ends the claim of an applied operation: first this process remembers the operation, then the claim is free. */
    void applied();

    /** Ends the claim of an operation that was not applied; the next attempt may claim it. */
    void free();
}
