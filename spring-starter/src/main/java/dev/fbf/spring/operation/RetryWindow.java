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

/** Whether the time that a key carries lets its retry get a response, and its operation be applied. Thread-safe. */
final class RetryWindow {

    /*
     * An operation that was applied at a, by this host's clock, is surely remembered until a + window. A retry at r
     * must not be applied if it may have been forgotten, that is, if r > a + window. All that can be seen of a is the
     * key's time k, by the client's clock; and k is at most a + skew, for a key from further in the future was refused
     * at a. So a >= k - skew, and what has been forgotten has an age r - k > window - skew: it is not applied. What is known to be
     * applied gets its response, whatever its time and this host's clock are.
     *
     * A client whose clock is behind only makes its keys look older, which is safe. Where several hosts share the memory, the two
     * limits go by clocks that bound the others: ClockSpread has them. If this host's clock is set back, the keys that it has let
     * through take its place, by the monotonic clock: KeyLead has the newest, which is at most a skew ahead.
     *
     * Both limits are asked after the filter, or the ledger, has been: in the other order a pause between the two
     * could be long enough for them to forget. Where a ledger is asked only with the method's own SQL (sqlOnly), such a
     * pause has to be longer than what is left of the skew to do harm.
     */
    private final String scope;
    private final InstantSource clock;
    private final Duration window;
    private final Duration skew;
    private final boolean requireTime;
    private final KeyLead lead;

    /**
     * @param window how long an operation is surely remembered
     * @param skew how far clocks may differ, less than the window
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
     * Lets an operation through that memory can be asked about.
     *
     * @throws IdempotencyKeyException if its key has no time and must have one
     */
    void requireTime(String key) {
        if (requireTime && KeyTime.of(key) == null) {
            String detail =
                    "The idempotency key carries no time. Send a UUID of version 7, or a ULID, that is made when"
                            + " the operation begins.";
            throw refusal(OperationOutcome.KEY_TIME, detail, detail);
        }
    }

    /** As {@link #requireNotForgotten(String, Supplier)}, where this host's clock is the only one. */
    void requireNotForgotten(String key) {
        requireNotForgotten(key, () -> ClockSpread.NONE);
    }

    /**
     * Lets an operation through that is not known to be applied, for it would be if it had been.
     *
     * @param clocks is asked if the key has a time, and throws if that cannot be judged
     * @throws IdempotencyKeyException if it may have been forgotten, or its key is from the future
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
        Instant held = lead.newest().minus(skew); // lower bound of the time, should the clock have been set back
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
                    "The idempotency key is from " + time + ": after more than " + age + " it is not known whether its"
                            + " operation was applied. It was not applied now; look at the counter before you send it"
                            + " with a new key.");
        }
    }
}
