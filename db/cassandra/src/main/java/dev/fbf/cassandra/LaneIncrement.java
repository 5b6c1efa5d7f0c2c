package dev.fbf.cassandra;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.group.GroupMember;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operation that adds to counters, together with those of other callers. What is public is its outcome, which does not change:
 * either the values, or why there are none.
 */
public final class LaneIncrement extends GroupMember {

    private final Claim claim;
    private final @Nullable Long fingerprint;
    private final Map<String, Long> deltas;

    private @Nullable Map<String, Long> values;
    private @Nullable Refusal refusal;
    private @Nullable Throwable reason;

    LaneIncrement(Claim claim, @Nullable Long fingerprint, Map<String, Long> deltas) {
        this.claim = claim;
        this.fingerprint = fingerprint;
        this.deltas = deltas;
    }

    /** {@return the values that it has made, by counter; null if it was not applied by this call, or that is in doubt} */
    public @Nullable Map<String, Long> values() {
        return values;
    }

    /**
     * {@return why it was not applied by this call; null if it was, or cannot be because of {@link #reason()}} {@link
     * Refusal#APPLIED} if another node had applied it before; {@link Refusal#IN_DOUBT} if a retry has to find out.
     */
    public @Nullable Refusal refusal() {
        return refusal;
    }

    /** {@return the error: why it cannot be applied, or why its outcome is unknown; else null} */
    public @Nullable Throwable reason() {
        return reason;
    }

    GroupBlob.Entry entry() {
        return new GroupBlob.Entry(claim.id(), fingerprint);
    }

    /** The deltas by counter, none of them 0. */
    Map<String, Long> deltas() {
        return deltas;
    }

    /** It was applied, and is remembered. */
    void applied(Map<String, Long> made) {
        claim.applied();
        done(made, null, null);
    }

    /** Ends without an effect of this call. */
    void refused(Refusal why, @Nullable Throwable because) {
        claim.rolledBack();
        done(null, why, because);
    }

    /** Ends without an effect, and cannot be retried. */
    void failed(Throwable because) {
        claim.rolledBack();
        done(null, null, because);
    }

    @Override
    protected void abandoned() {
        refused(Refusal.TIMEOUT, null);
    }

    private void done(@Nullable Map<String, Long> made, @Nullable Refusal why, @Nullable Throwable because) {
        values = made;
        refusal = why;
        reason = because;
        end();
    }
}
