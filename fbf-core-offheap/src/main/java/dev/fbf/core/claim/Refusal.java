package dev.fbf.core.claim;

/**
 * The reason why a request did not apply its operation. {@link ScopeClaims} uses {@link #APPLIED}, {@link #IN_PROGRESS}, {@link #IN_DOUBT},
 * {@link #NO_ROOM}, {@link #RECOVERING}, {@link #HELD_BACK}, {@link #STOPPED} and {@link #FAILED} only.
 */
public enum Refusal implements Admission {
    /** The operation is a duplicate, or a false positive of the filter (one in 1 / FPP new operations). */
    APPLIED,
    /** Another request is applying the same operation. */
    IN_PROGRESS,
    /** The outcome of an earlier request's COMMIT is not known yet. */
    IN_DOUBT,
    /** The operation was applied or is a false positive. The database has lost commits since, possibly this one. */
    LOST,
    /** The operation was applied or is a false positive. The filter has too many false positives to decide. */
    OVERFULL,
    /** The limit of concurrent operations is reached. */
    NO_ROOM,
    /** Operations that the previous process left in doubt are not settled yet. */
    RECOVERING,
    /**
     * Operations are held back, because retries of operations that this node does not remember may still arrive. The scope or the lease has
     * the remaining time.
     */
    HELD_BACK,
    /** Another node applies the scope's operations. */
    OTHER_NODE,
    /** The database has not confirmed in time that this node may apply operations. */
    UNCONFIRMED,
    /** The node, or the thread that commits groups, was stopped. */
    STOPPED,
    /** A file of the node could not be used. No operation is admitted until the next start, unless only the disk was full. */
    FAILED,
    /** The operation was not committed in a group before its timeout. */
    TIMEOUT,
    /** Conflicts with other transactions failed every attempt to commit the operation in a group. */
    CONFLICT,
    /** The database could not be reached, or its connection broke before COMMIT: the operation was not applied. */
    UNREACHABLE,
    /** Operations cannot be recorded, because fbf's tables are missing or not writable: the operation was not applied. */
    UNRECORDABLE
}
