package dev.fbf.spring.operation;

import dev.fbf.db.node.ClockSpread;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Decision by a key's time whether its operation may be applied. Thread-safe. */
final class RetryWindow {

    /*
     * An operation that was applied at a, by this host's clock, is remembered at least until a + window. A retry at r must not be applied
     * if the operation may have been forgotten, that is, if r > a + window. The only trace of a is the key's time k, by the client's clock;
     * k is at most a + skew, because a later time was refused at a. So a >= k - skew, and a forgotten operation has an age r - k > window -
     * skew: it is not applied. An operation that is known to be applied gets its response, regardless of its time and this host's clock.
     *
     * A client whose clock is behind only makes its keys look older, which is safe. If several hosts share the memory, the two limits use
     * clocks that bound the others: ClockSpread has them. If this host's clock is set back, the newest admitted key replaces it, by the
     * monotonic clock: KeyLead has that key, which is at most a skew ahead.
     *
     * Both limits are checked after the filter or the ledger: in the other order, a pause between the two checks could be long enough to
     * forget the operation. If the ledger is only checked together with the method's SQL (sqlOnly), a pause does harm only if it is longer
     * than the rest of the skew.
     */
    private final String scope;
    private final InstantSource clock;
    private final Duration window;
    private final Duration skew;
    private final boolean requireTime;
    private final KeyLead lead;

    /**
     * @param window the minimum time for which an operation is remembered
     * @param skew the allowed clock difference, less than the window
     * @param requireTime whether keys without a time are refused
     */
    RetryWindow(String scope, InstantSource clock, Duration window, Duration skew, boolean requireTime) {
        this(scope, clock, System::nanoTime, window, skew, requireTime);
    }

    RetryWindow(
            String scope,
            InstantSource clock,
            LongSupplier nanoTime,
            Duration window,
            Duration skew,
            boolean requireTime) {
        this.scope = scope;
        lead = new KeyLead(nanoTime);
        this.clock = clock;
        this.window = window;
        this.skew = skew;
        this.requireTime = requireTime;
    }

    /**
     * Checks that a key has a time, if its scope requires one.
     *
     * @throws IdempotencyKeyException if the key lacks a required time
     */
    void requireTime(String key) {
        if (requireTime && KeyTime.of(key) == null) {
            String detail =
                    "The idempotency key has no time. Send a UUID of version 7, or a ULID, that is created when the"
                            + " operation begins.";
            throw refusal(OperationOutcome.KEY_TIME, detail, detail);
        }
    }

    /** Admits an operation as {@link #requireNotForgotten(String, Supplier)} does, with this host's clock as the only one. */
    void requireNotForgotten(String key) {
        requireNotForgotten(key, () -> ClockSpread.NONE);
    }

    /**
     * Admits an operation that is not known to be applied, unless it may have been applied and forgotten.
     *
     * @param clocks called if the key has a time; throws if the clocks cannot be compared
     * @throws IdempotencyKeyException if the operation may have been forgotten, or its key is from the future
     */
    void requireNotForgotten(String key, Supplier<ClockSpread> clocks) {
        Instant time = KeyTime.of(key);
        if (time == null) {
            return;
        }
        ClockSpread spread = clocks.get();
        Instant host = clock.instant();
        Instant now = host.plus(spread.earliest());
        if (time.isAfter(now.plus(skew))) {
            throw refusal(
                    OperationOutcome.KEY_TIME,
                    "The idempotency key is from " + time + ", and here it is " + now + ": more than " + skew
                            + " in the future.",
                    "The idempotency key is from " + time + ": more than " + skew
                            + " in the future. Set the clock of the client.");
        }
        Instant latest = host.plus(spread.latest());
        Instant held = lead.newest().minus(skew); // lower bound of the time, in case the clock was set back
        requireYounger(time, held.isAfter(latest) ? held : latest, window.minus(skew));
        lead.add(time);
    }

    private OperationRefusedException refusal(OperationOutcome reason, String message, String detail) {
        return OperationRefusedException.of(reason, scope, message, detail);
    }

    private void requireYounger(Instant time, Instant now, Duration age) {
        if (time.isBefore(now.minus(age))) {
            throw refusal(
                    OperationOutcome.KEY_TOO_OLD,
                    "The idempotency key is from " + time + ", and here it is " + now + ": more than " + age
                            + " later.",
                    "The idempotency key is from " + time + ": after more than " + age + " it is unknown whether its"
                            + " operation was applied. The operation was not applied now; check the resource before you"
                            + " send it with a new key.");
        }
    }
}
