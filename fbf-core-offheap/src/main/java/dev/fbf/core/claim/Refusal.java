package dev.fbf.core.claim;

/**
 * The reason why a request did not apply its operation. A scope gives all but the last four,
 * {@link #LOST}, {@link #OVERFULL}, {@link #OTHER_NODE} and {@link #UNCONFIRMED}, the database all but {@link #NO_ROOM}.
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
    /** The operation was applied, or is a false positive: the filter has too many to say which. */
    OVERFULL,
    /** As many operations are being applied as there is room for. */
    NO_ROOM,
    /** Operations that the previous process left in doubt are not settled yet. */
    RECOVERING,
    /**
     * Retries may still arrive of operations that this node does not remember, so that new ones are held back. The time until
     * that is over is known where they are.
     */
    HELD_BACK,
    /** Another node applies the scope's operations. */
    OTHER_NODE,
    /** The database has not confirmed in time that this node may apply operations. */
    UNCONFIRMED,
    /** The node, or what commits operations together, was stopped. */
    STOPPED,
    /** A file of the node could not be written. No operation is admitted until the next start. */
    FAILED,
    /** The operation was not committed with others before its timeout. */
    TIMEOUT,
    /** Conflicts with other transactions made every attempt to commit the operation with others fail. */
    CONFLICT,
    /** The database could not be reached, or its connection broke before COMMIT: the operation was surely not applied. */
    UNREACHABLE,
    /** The database does not let operations be recorded: fbf's tables are missing, or cannot be written; it was surely not applied. */
    UNRECORDABLE
}
