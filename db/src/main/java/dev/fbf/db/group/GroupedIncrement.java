package dev.fbf.db.group;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.claim.WitnessedTransaction;
import dev.fbf.core.group.GroupMember;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An increment of one counter that is applied in a group with the increments of other callers. Its outcome is final: the counter's new
 * value, or the reason why there is none.
 */
public final class GroupedIncrement extends GroupMember {

    private final Claim claim;
    private final @Nullable Long fingerprint;
    private final String counter;
    private final long delta;

    private @Nullable Long value;
    private @Nullable Refusal refusal;
    private @Nullable Throwable reason;
    private @Nullable WitnessedTransaction transaction;

    GroupedIncrement(Claim claim, @Nullable Long fingerprint, String counter, long delta) {
        this.claim = claim;
        this.fingerprint = fingerprint;
        this.counter = counter;
        this.delta = delta;
    }

    /** {@return the counter's value that it has made; null if it was not applied by this call, or that is in doubt} */
    public @Nullable Long value() {
        return value;
    }

    /**
     * {@return why it was not applied by this call; null if it was, or cannot be because of {@link #reason()}} {@link
     * Refusal#APPLIED} if another process had applied it before, and now it is remembered here too; {@link Refusal#IN_DOUBT} if {@code
     * Arbiter.settle} has to find out.
     */
    public @Nullable Refusal refusal() {
        return refusal;
    }

    /** {@return what the database said: why it cannot be applied, or why its COMMIT got no response; else null} */
    public @Nullable Throwable reason() {
        return reason;
    }

    /** The transaction that the witness settles; null if a ledger decides, or the outcome is not in doubt. */
    public @Nullable WitnessedTransaction transaction() {
        return transaction;
    }

    public Claim claim() {
        return claim;
    }

    public @Nullable Long fingerprint() {
        return fingerprint;
    }

    public String counter() {
        return counter;
    }

    public long delta() {
        return delta;
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

    /** Completes it after a failure, if it has no outcome yet: not applied if its claim is still held, otherwise in doubt. */
    void failed(Throwable because) {
        if (hasEnded()) {
            return;
        }
        if (claim.isHeld()) {
            claim.rolledBack();
            done(null, null, because, null);
        } else {
            done(null, Refusal.IN_DOUBT, because, null);
        }
    }

    /** Refuses it: it was not applied, and its operation is new again. */
    public void refused(Refusal why) {
        claim.rolledBack();
        done(null, why, null, null);
    }

    /** Completes it as in doubt, for a ledger to decide, if it has no outcome yet. */
    public void doubted(Throwable because) {
        if (hasEnded()) {
            return;
        }
        if (claim.isHeld()) {
            claim.rolledBack();
        }
        done(null, Refusal.IN_DOUBT, because, null);
    }

    @Override
    protected void abandoned() {
        refused(Refusal.TIMEOUT);
    }

    /** For its caller: itself, when its outcome is there; null if it is being applied still. */
    @Nullable GroupedIncrement await(Duration timeout) {
        return awaitEnd(timeout) ? this : null;
    }
}
