package dev.fbf.db.group;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.group.GroupMember;
import dev.fbf.core.witness.WitnessedTransaction;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An increment of one counter that is applied in a group with the increments of other callers. Its outcome, the counter's new value or the
 * reason of a failure, is set once.
 */
public final class GroupedIncrement extends GroupMember {

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final Claim claim;
    private final String counter;
    private final long delta;

    private @Nullable Long value;
    private @Nullable Refusal refusal;
    private @Nullable Throwable reason;
    private @Nullable WitnessedTransaction transaction;

    GroupedIncrement(Claim claim, String counter, long delta) {
        this.claim = claim;
        this.counter = counter;
        this.delta = delta;
    }

    /** {@return the counter's new value; null if the group did not apply the increment, or it is in doubt} */
    public @Nullable Long value() {
        return value;
    }

    /**
     * {@return the refusal; null if the increment was applied, goes alone, or failed for {@link #reason()}} {@link Refusal#IN_DOUBT} means
     * that its store must resolve it.
     */
    public @Nullable Refusal refusal() {
        return refusal;
    }

    /** {@return the error because of which the increment was not applied, or is in doubt; null if there is none} */
    public @Nullable Throwable reason() {
        return reason;
    }

    /** Returns the transaction in doubt that the witness settles; null if there is none. */
    public @Nullable WitnessedTransaction transaction() {
        return transaction;
    }

    public Claim claim() {
        return claim;
    }

    public String counter() {
        return counter;
    }

    public long delta() {
        return delta;
    }

    /** {@return the rest of its caller's time, which began when it was queued; 1 ms at least} */
    public Duration remaining(Duration timeout) {
        Duration left = timeout.minusNanos(System.nanoTime() - queuedAt());
        return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
    }

    /** Passes the outcome to the caller; called once. */
    public void done(
            @Nullable Long itsValue,
            @Nullable Refusal why,
            @Nullable Throwable itsReason,
            @Nullable WitnessedTransaction inDoubt) {
        value = itsValue;
        refusal = why;
        reason = itsReason;
        transaction = inDoubt;
        end();
    }

    /** Returns the sum of the increments per counter, in the order in which the counters occur. */
    public static Map<String, Long> sums(List<GroupedIncrement> group) {
        Map<String, Long> sums = new LinkedHashMap<>();
        group.forEach(increment -> sums.merge(increment.counter, increment.delta, Math::addExact));
        return sums;
    }

    /**
     * Completes applied increments, each with its counter's new value as if they had been applied one after another.
     *
     * @param values the counters' values after all increments
     */
    public static void tell(List<GroupedIncrement> applied, Map<String, Long> values) {
        Map<String, Long> after = new HashMap<>(values);
        for (int i = applied.size() - 1; i >= 0; i--) {
            GroupedIncrement increment = applied.get(i);
            long value = Objects.requireNonNull(after.get(increment.counter));
            after.put(increment.counter, value - increment.delta);
            increment.done(value, null, null, null);
        }
    }

    /**
     * Completes the increment after a failure, if it has no outcome yet.
     *
     * @param inDoubt whether it may have been applied; also if its claim is no longer held
     */
    public void failed(Throwable because, boolean inDoubt) {
        if (hasEnded()) {
            return;
        }
        boolean isHeld = claim.isHeld();
        if (isHeld) {
            claim.free();
        }
        done(null, inDoubt || !isHeld ? Refusal.IN_DOUBT : null, because, null);
    }

    /** Refuses the increment, which was not applied, and frees its claim. */
    public void refused(Refusal why) {
        claim.free();
        done(null, why, null, null);
    }

    @Override
    protected void abandoned() {
        refused(Refusal.TIMEOUT);
    }
}
