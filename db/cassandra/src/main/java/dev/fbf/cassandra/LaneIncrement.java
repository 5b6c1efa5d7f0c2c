package dev.fbf.cassandra;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.group.GroupMember;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An operation that adds to counters in a group. Its outcome, the values or the reason of a failure, is final. */
public final class LaneIncrement extends GroupMember {

    private final GroupBlob.Entry entry;

    /** Null if another node has forwarded the increment: that node completes the increment of its caller. */
    private final @Nullable Claim claim;

    private final Map<String, Long> deltas;

    /** Whether a leader may apply it, even after this call. Confined to the lane's thread. */
    private boolean mayBeForwarded;

    private @Nullable Map<String, Long> values;
    private @Nullable Refusal refusal;
    private @Nullable Throwable reason;

    LaneIncrement(GroupBlob.Entry entry, @Nullable Claim claim, Map<String, Long> deltas) {
        this.entry = entry;
        this.claim = claim;
        this.deltas = deltas;
    }

    /**
     * {@return the counters' new values; null if this call did not apply the increment, if it is in doubt, or if the counters could not be
     * read after the commit}
     */
    public @Nullable Map<String, Long> values() {
        return values;
    }

    /**
     * {@return the refusal; null if the increment was applied, or failed for {@link #reason()}} {@link Refusal#APPLIED} means that the
     * operation was applied, but without values for this call: another node applied it before, or, if there is a {@link #reason()}, the
     * counters could not be read after the commit. {@link Refusal#IN_DOUBT} means that a retry must resolve the outcome.
     */
    public @Nullable Refusal refusal() {
        return refusal;
    }

    /** {@return the error because of which the increment was not applied, is in doubt, or has no values; null if there is none} */
    public @Nullable Throwable reason() {
        return reason;
    }

    OperationId id() {
        return entry.id();
    }

    /** Records that it is forwarded to another node. */
    void forward() {
        mayBeForwarded = true;
    }

    GroupBlob.Entry entry() {
        return entry;
    }

    /** Returns the deltas by counter, none of them 0. */
    Map<String, Long> deltas() {
        return deltas;
    }

    /** Completes the increment as applied and remembered. */
    void applied(Map<String, Long> made) {
        if (claim != null) {
            claim.applied();
        }
        done(made, null, null);
    }

    /** Completes the increment without values; as in doubt if another node may still apply it. */
    void refused(Refusal why, @Nullable Throwable because) {
        free();
        done(null, mayBeForwarded && why != Refusal.APPLIED ? Refusal.IN_DOUBT : why, because);
    }

    /** Completes the increment as failed: a retry would fail as well. */
    void failed(Throwable because) {
        free();
        done(null, null, because);
    }

    private void free() {
        if (claim != null) {
            claim.free();
        }
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
