package dev.fbf.core.guard;

/** Why a request did not apply its operation. The guard gives all but the last two, the database any but the room and the stop. */
public enum Refusal implements Admission {
    /** The operation was applied before, or is taken for one that was: once in 1 / FPP operations. */
    APPLIED,
    /** Another request is applying the same operation now. */
    IN_PROGRESS,
    /** Nobody knows yet whether an earlier request's COMMIT took effect. */
    IN_DOUBT,
    /** As many operations as there is room for are being applied. */
    NO_ROOM,
    /**
     * The operations that were in doubt when the process before this one ended are not settled yet; or the filter may
     * lack some after a power failure, and they are held back.
     */
    RECOVERING,
    /** The node was stopped. */
    STOPPED,
    /** Its turn to be committed with others did not come in time. */
    NO_TURN,
    /** Other transactions kept it from being committed with others, each time that it was tried. */
    CONFLICT
}
