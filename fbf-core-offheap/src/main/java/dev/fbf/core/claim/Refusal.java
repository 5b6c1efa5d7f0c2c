package dev.fbf.core.claim;

/** The reason why a request is refused. */
public enum Refusal implements Admission {
    /** The operation was applied; or, if the filter's hits are not confirmed, it may be a false positive. */
    APPLIED,
    /** Another request is applying the operation, or has applied it on a server that is not trusted yet. */
    IN_PROGRESS,
    /** The outcome of a COMMIT of the operation, by this or an earlier request, is not known yet. */
    IN_DOUBT,
    /** The operation was applied or is a false positive. The database has lost commits, possibly this one. */
    LOST,
    /** The operation was applied or is a false positive. The filter has too many false positives to decide. */
    OVERFULL,
    /** The limit of concurrent operations is reached. */
    NO_ROOM,
    /** Operations that the previous process left in doubt are not settled yet, or a row of the witness must be read first. */
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
    /** A file of the node could not be used. No operation is admitted until the next start. */
    FAILED,
    /** The operation was not committed in a group before its timeout. */
    TIMEOUT,
    /** Conflicts with other transactions, or timeouts of statements, failed every attempt to commit the operation in a group. */
    CONFLICT,
    /** The database could not be reached, or its connection broke before COMMIT: this request has not applied the operation. */
    UNREACHABLE,
    /** Operations cannot be recorded, because fbf's tables are missing or not writable: this request has not applied the operation. */
    UNRECORDABLE
}
