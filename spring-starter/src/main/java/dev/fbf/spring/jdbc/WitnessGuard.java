package dev.fbf.spring.jdbc;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.witness.LostCommits;
import dev.fbf.core.witness.ScopeClaims;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.db.witness.ScopeLease;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Guard of operations in filter mode. Thread-safe. */
final class WitnessGuard extends SqlOperationGuard {

    private final WitnessDatabase witness;
    private final ScopeClaims scopeClaims;
    private final @Nullable ScopeLease lease;

    WitnessGuard(
            Guards guards,
            OperationSettings settings,
            WitnessDatabase database,
            ScopeClaims scopeClaims,
            ScopeDefinition scope) {
        super(guards, settings, database, scope);
        witness = database;
        this.scopeClaims = scopeClaims;
        lease = database.lease == null ? null : database.lease.of(settings.scope());
    }

    @Override
    Admission decide(Operation operation, boolean isAlone) {
        if (!witness.witness.isReady()) {
            return Refusal.RECOVERING;
        }
        Refusal standing = lease == null ? null : lease.use();
        if (standing != null) {
            return standing;
        }
        Admission admission = scopeClaims.admit(operation.id());
        if (admission == Refusal.IN_PROGRESS || admission == Refusal.NO_ROOM) {
            if (witness.transactionApplies(operation.id())) {
                return Refusal.APPLIED; // this thread's COMMIT applies the operation
            }
            if (database.transactions.endAbandoned()) {
                admission = scopeClaims.admit(operation.id());
            }
        }
        if (admission == Refusal.IN_DOUBT && scopeClaims.awaitSettled(operation.id(), settleTimeout)) {
            admission = scopeClaims.admit(operation.id());
        }
        if (admission == Refusal.APPLIED && !vouches()) {
            return Refusal.LOST;
        }
        if (admission == Refusal.APPLIED && scopeClaims.filter().isOverfull()) {
            return Refusal.OVERFULL; // a hit proves nothing
        }
        if (admission == Refusal.NO_ROOM) {
            guards.noRoom();
        }
        if (admission instanceof Claim claim && operation.fingerprint() != null) {
            witness.witness.recordRequest(claim, operation.fingerprint());
        }
        return admission;
    }

    @Override
    Duration heldBackFor() {
        Duration byLease = lease == null ? Duration.ZERO : lease.heldBackFor();
        Duration byFilter = scopeClaims.heldBackFor();
        return byLease.compareTo(byFilter) > 0 ? byLease : byFilter;
    }

    @Override
    @Nullable Refusal awaitSettled(GroupedIncrement increment) {
        return witness.witness.awaitSettled(increment, settleTimeout);
    }

    /**
     * Returns whether, as far as known, the database has kept all commits that the scope's filter remembers; true also if an operator has
     * accepted their loss.
     */
    private boolean vouches() {
        LostCommits lost = scopeClaims.lostCommits();
        return lost == null
                // the filter has no older operations left: it forgets after a window, a period and a refresh delay
                || lost.since()
                        .plus(scopeClaims.filter().plan().window().multipliedBy(2))
                        .isBefore(Instant.now());
    }

    @Override
    boolean recognizes(Operation operation, long fingerprint) {
        return witness.witness.recognizes(operation.id(), fingerprint, scopeClaims.filter());
    }
}
