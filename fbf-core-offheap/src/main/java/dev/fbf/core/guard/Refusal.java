package dev.fbf.core.guard;

/**
 * The reason why a request did not apply its operation. The guard gives all but the last three and
 * {@link #LOST}, the database all but {@link #NO_ROOM}.
 */
public enum Refusal implements Admission {
    /** The operation is a duplicate, or a false positive of the filter (one in 1 / FPP new operations). */
    APPLIED,
    /** Another request is applying the same operation. */
    IN_PROGRESS,
    /** The outcome of an earlier request's COMMIT is not known yet. */
    IN_DOUBT,
    /** The operation was applied, or is a false positive; the database has forgotten commits since, perhaps this one. */
    LOST,
    /** As many operations are being applied as there is room for. */
    NO_ROOM,
    /**
     * Operations that the previous process left in doubt are not settled yet; or the filter may lack some after a power
     * failure, and new ones are held back.
     */
    RECOVERING,
    /** The node, or what commits operations together, was stopped. */
    STOPPED,
    /** The operation was not committed with others before its timeout. */
    TIMEOUT,
    /** Conflicts with other transactions made every attempt to commit the operation with others fail. */
    CONFLICT,
    /** The database could not be reached, or its connection broke before COMMIT: the operation was surely not applied. */
    UNREACHABLE
}
