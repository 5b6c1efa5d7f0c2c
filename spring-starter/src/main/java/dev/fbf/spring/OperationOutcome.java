package dev.fbf.spring;

import dev.fbf.core.guard.Refusal;
import java.util.Locale;

/** How a call of a guarded method came out, as far as is known when it returns. */
public enum OperationOutcome {
    /** It was applied now, and its COMMIT is known. */
    APPLIED,
    /** Its method has run in its caller's transaction, which has not ended yet. */
    PENDING,
    /** It was applied before. */
    REPLAYED,
    /** Another request is applying the same operation. */
    IN_PROGRESS,
    /** Nobody knows yet whether it was applied. */
    IN_DOUBT,
    /** As many operations as there is room for are being applied. */
    NO_ROOM,
    /** What was in doubt before is not settled yet, or operations are held back after a power failure. */
    STARTING,
    /** The application is stopping. */
    STOPPED,
    /** It came without a key, and was let through unguarded. */
    KEYLESS,
    /** Its key is missing, malformed, from the future, without a time that it must have, or that of another request. */
    KEY_REFUSED,
    /** Its key is older than operations are remembered. */
    TOO_OLD,
    /** What its method, or its transaction, threw was passed on. */
    FAILED;

    static OperationOutcome of(Refusal refusal) {
        return switch (refusal) {
            case APPLIED -> REPLAYED;
            case IN_PROGRESS -> IN_PROGRESS;
            case IN_DOUBT -> IN_DOUBT;
            case NO_ROOM -> NO_ROOM;
            case STARTING -> STARTING;
            case STOPPED -> STOPPED;
        };
    }

    /** The outcome of a call that has thrown this, and has noted nothing. */
    static OperationOutcome of(Throwable thrown) {
        if (thrown instanceof IdempotencyKeyTooOldException) {
            return TOO_OLD;
        }
        return thrown instanceof IdempotencyKeyException
                        || thrown instanceof IdempotencyKeyTimeException
                        || thrown instanceof IdempotencyKeyReusedException
                ? KEY_REFUSED
                : FAILED;
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
