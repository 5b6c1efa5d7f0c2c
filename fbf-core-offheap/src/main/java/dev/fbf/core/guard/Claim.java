package dev.fbf.core.guard;

import dev.fbf.core.OperationId;

/**
 * The exclusive right of one request to apply one operation, from the guard's admission until its outcome is known.
 *
 * <p>Whoever holds a claim ends it by exactly one of its methods; any thread may. A second call of any of them is an
 * {@link IllegalStateException}.
 */
public sealed interface Claim extends Admission permits HeldClaim {

    /**
     * Returns the operation that is claimed.
     *
     * @return its id
     */
    OperationId id();

    /** The COMMIT is known: the filter remembers the operation, and only then the claim is freed. */
    void applied();

    /** The transaction surely did not commit and never will: the operation is new again. */
    void rolledBack();

    /** Nobody knows whether the COMMIT took effect: the operation is neither repeated nor called applied. */
    void inDoubt();
}
