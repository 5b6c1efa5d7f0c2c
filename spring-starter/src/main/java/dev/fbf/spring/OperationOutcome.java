package dev.fbf.spring;

import java.util.Locale;

/** The outcome of a call that applies an operation, as far as is known when it returns. */
public enum OperationOutcome {
    /** The operation was applied now, and its COMMIT is known. */
    APPLIED,
    /** The work has run in its caller's transaction, which has not ended yet. */
    PENDING,
    /** The operation was applied before. */
    REPLAYED,
    /** The call came without a key, and was let through unguarded. */
    KEYLESS,
    /** An exception of the work or its transaction was passed on, or the work marked its transaction rollback-only and returned. */
    FAILED,
    /** The key is missing or malformed. */
    KEY_INVALID,
    /** The key is from the future, or has no time and must have one. */
    KEY_TIME,
    /** The key is older than operations are remembered. */
    KEY_TOO_OLD,
    /** The key is that of another request. */
    KEY_REUSED,
    /** Another call is applying the same operation. */
    IN_PROGRESS,
    /** It is not known yet whether the operation was applied. */
    IN_DOUBT,
    /**
     * The limit of concurrent operations or connections is reached, the operation was not committed before its timeout, or there is no
     * room to store the body of its request.
     */
    NO_ROOM,
    /** Earlier transactions in doubt are not settled yet. */
    RECOVERING,
    /** Retries of operations that are not remembered here may still arrive, or another process applies the scope's operations. */
    HELD_BACK,
    /**
     * The database could not be reached, its connection broke before COMMIT, or fbf's tables cannot be used; the operation was not
     * applied.
     */
    UNREACHABLE,
    /** The application is stopping, or a file of fbf failed. */
    STOPPED;

    /**
     * Returns whether another call with the same key, a little later, can have another outcome.
     *
     * @return false for a call that was not refused, too
     */
    public boolean isRetryable() {
        return switch (this) {
            case IN_PROGRESS, IN_DOUBT, NO_ROOM, RECOVERING, HELD_BACK, UNREACHABLE, STOPPED -> true;
            case APPLIED, PENDING, REPLAYED, KEYLESS, FAILED, KEY_INVALID, KEY_TIME, KEY_TOO_OLD, KEY_REUSED -> false;
        };
    }

    /**
     * Returns what it is called in meters and traces.
     *
     * @return the name in lower case, with hyphens
     */
    public String value() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
