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
     * Has the scope's filter remember the request of the operation: now, since a crash must not part the two; and once more
     * with the operation, so that it is remembered for as long. If the operation is not applied, that does no harm.
     *
     * @param request names the operation and what the request for it is like
     */
    void requestedBy(OperationId request);

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
