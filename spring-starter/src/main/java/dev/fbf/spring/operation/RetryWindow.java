package dev.fbf.spring.operation;

import dev.fbf.core.DurationText;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Decision by a key's time whether its operation may be applied. Thread-safe.
 *
 * @param window the minimum time for which an operation is remembered
 * @param skew the allowed clock difference, less than the window
 * @param requiresTime whether keys without a time are refused
 */
record RetryWindow(String scope, InstantSource clock, Duration window, Duration skew, boolean requiresTime) {

    /*
     * An operation that is applied at a is remembered until a + window, in the ledger until a + window + skew. A retry must not be applied
     * if the operation may have been forgotten. The only trace of a is the key's time k, by the client's clock: k is at most a + skew by the
     * clock of the host that applied it, because a later time was refused there. A retry at r is applied only if r - k <= window - skew by
     * the clock of the host that receives it. So r <= a + window if that is the same host, and r <= a + window + skew if the two clocks
     * differ by at most the skew. A clock that is further off is not noticed.
     *
     * A client whose clock is behind only makes its keys look older, which is safe. An operation that is known to be applied gets its
     * response, regardless of its time and this host's clock.
     *
     * Both limits are checked after the filter or the ledger: in the other order, a pause between the two checks could be long enough to
     * forget the operation. If the ledger is only checked together with the method's SQL (sqlOnly), a pause does harm only if it is longer
     * than the rest of the skew.
     */
    /**
     * Returns the time for which a ledger keeps an operation. If its key has a time, another host may judge the key, whose clock differs by
     * the allowed difference.
     */
    Duration retention(@Nullable Instant time) {
        return time == null ? window : window.plus(skew);
    }

    /**
     * Checks that a key has a time, if its scope requires one.
     *
     * @throws IdempotencyKeyException if the key lacks a required time
     */
    void requireTime(@Nullable Instant time) {
        if (requiresTime && time == null) {
            String detail =
                    "The idempotency key has no time. Send a UUID of version 7, or a ULID, that is created when the"
                            + " operation begins.";
            throw refusal(OperationOutcome.KEY_TIME, detail, detail);
        }
    }

    /**
     * Admits an operation that is not known to be applied, unless it may have been applied and forgotten.
     *
     * @throws IdempotencyKeyException if the operation may have been forgotten, or its key is from the future
     */
    void requireNotForgotten(Instant time) {
        Instant now = clock.instant();
        if (time.isAfter(now.plus(skew))) {
            throw refusal(
                    OperationOutcome.KEY_TIME,
                    "The idempotency key is from " + time + ", and here it is " + now + ": more than "
                            + DurationText.of(skew) + " in the future.",
                    "The idempotency key is from " + time + ": more than " + DurationText.of(skew)
                            + " in the future. Set the clock of the client.");
        }
        Duration age = window.minus(skew);
        if (time.isBefore(now.minus(age))) {
            throw refusal(
                    OperationOutcome.KEY_TOO_OLD,
                    "The idempotency key is from " + time + ", and here it is " + now + ": more than "
                            + DurationText.of(age) + " later.",
                    "The idempotency key is from " + time + ": after more than " + DurationText.of(age)
                            + " it is unknown whether its"
                            + " operation was applied. The operation was not applied now; check the resource before you"
                            + " send it with a new key.");
        }
    }

    private OperationRefusedException refusal(OperationOutcome reason, String message, String detail) {
        return OperationRefusedException.of(reason, scope, message, detail);
    }
}
