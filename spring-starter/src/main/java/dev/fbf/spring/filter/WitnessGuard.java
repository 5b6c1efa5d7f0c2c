package dev.fbf.spring.filter;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.witness.NodeLease;
import dev.fbf.db.witness.WitnessStore;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.transaction.SqlOperationGuard;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Guard of operations in filter mode. Thread-safe. */
final class WitnessGuard extends SqlOperationGuard {

    private final WitnessStore witness;
    private final ScopeClaims scopeClaims;
    /** Null in the context of a test, whose cleanup may have truncated the witness. */
    private final NodeLease.@Nullable ScopeLease lease;

    WitnessGuard(Guarded guarded, ScopeClaims scopeClaims) {
        super(guarded);
        WitnessDatabase database = (WitnessDatabase) guarded.database();
        witness = database.witness;
        this.scopeClaims = scopeClaims;
        lease = database.lease == null ? null : database.lease.of(settings.scope());
    }

    @Override
    protected Admission take(Operation operation, boolean isAlone) {
        if (!witness.isReady()) {
            return Refusal.RECOVERING;
        }
        Refusal standing = lease == null ? null : lease.use();
        if (standing != null) {
            return standing;
        }
        Admission admission = scopeClaims.admit(operation.id(), operation.fingerprint());
        if (admission == Refusal.IN_DOUBT && scopeClaims.awaitSettled(operation.id(), settleTimeout)) {
            admission = scopeClaims.admit(operation.id(), operation.fingerprint());
        }
        if (admission == Refusal.APPLIED && lease != null && !vouches()) {
            return Refusal.LOST;
        }
        if (admission == Refusal.APPLIED && scopeClaims.filter().isOverfull()) {
            return Refusal.OVERFULL; // a hit proves nothing
        }
        return admission;
    }

    @Override
    protected @Nullable Refusal known(Operation operation) {
        return scopeClaims.known(operation.id());
    }

    @Override
    protected Duration heldBackFor() {
        Duration byLease = lease == null ? Duration.ZERO : lease.heldBackFor();
        Duration byFilter = scopeClaims.heldBackFor();
        return byLease.compareTo(byFilter) > 0 ? byLease : byFilter;
    }

    @Override
    protected @Nullable Refusal awaitSettled(GroupedIncrement increment) {
        return witness.awaitSettled(increment, settleTimeout);
    }

    /**
     * Returns whether, as far as known, the database has kept all commits that the scope's filter remembers; true also if an operator has
     * accepted their loss.
     */
    private boolean vouches() {
        Instant lost = scopeClaims.lostCommits();
        return lost == null
                // the filter has no older operations left: it forgets after a window, a period and a refresh delay
                || lost.plus(scopeClaims.filter().plan().window().multipliedBy(2))
                        .isBefore(Instant.now());
    }

    @Override
    protected boolean recognizes(Operation operation, long fingerprint) {
        return !scopeClaims.filter().isOfAnotherRequest(operation.id(), fingerprint);
    }
}
