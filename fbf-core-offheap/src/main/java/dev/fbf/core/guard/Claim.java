package dev.fbf.core.guard;

import dev.fbf.core.OperationId;
import java.time.Duration;

/**
 * The exclusive right of one request to apply one operation, from the guard's admission until its outcome is known.
 *
 * <p>Whoever holds a claim ends it by exactly one of its methods, or hands it to a {@link WitnessedTransaction}, which
 * ends it; any thread may. A second end is an {@link IllegalStateException}.
 */
public sealed interface Claim extends Admission permits HeldClaim {

    /**
     * Returns the operation that is claimed.
     *
     * @return its id
     */
    OperationId id();

    /**
     * Returns how long after the operation its retries may come.
     *
     * @return what is stated for its scope
     */
    Duration retryWindow();

    /**
     * Tells whose the claim is.
     *
     * @return whether nobody has ended it or handed it to a transaction
     */
    boolean isHeld();

    /** The operation was applied: the filter remembers it, and only then the claim is freed. */
    void applied();

    /** The operation surely was not applied and never will be by this claim: it is new again. */
    void rolledBack();
}
