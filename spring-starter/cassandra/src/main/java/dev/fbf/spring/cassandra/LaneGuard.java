package dev.fbf.spring.cassandra;

import dev.fbf.cassandra.LaneCounters;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Guard that admits operations to the lanes of their scope. Thread-safe. */
final class LaneGuard extends OperationGuard {

    private final LaneCounters counters;
    private final BooleanSupplier stopping;

    LaneGuard(OperationSettings settings, LaneCounters counters, ScopeDefinition scope, BooleanSupplier stopping) {
        super(settings, scope);
        this.counters = counters;
        this.stopping = stopping;
    }

    @Override
    public Admission admit(Operation operation) {
        Admission admission = stopping.getAsBoolean() ? Refusal.STOPPED : counters.admit(operation.id());
        if (admission instanceof Claim claim) {
            try {
                requireNotForgotten(operation);
            } catch (OperationRefusedException e) {
                claim.free();
                throw e;
            }
        }
        return admission;
    }

    LaneCounters counters() {
        return counters;
    }

    @Override
    public boolean isHeldByThisThread(Operation operation) {
        return LaneCall.isCurrent(operation.id());
    }

    /** Returns null: lanes have no transactions. */
    @Override
    public Execution begin(Claim claim, Operation operation) {
        return new LaneCall(this, operation, claim);
    }

    /** Not supported: Cassandra has no transaction for a batch. */
    @Override
    public <E extends Throwable> int applyAll(
            List<Operation> operations,
            IdempotentScope.BatchWork<Operation, E> work,
            OperationObservationContext observed) {
        throw new UnsupportedOperationException(
                "scope=" + settings.scope()
                        + ": Cassandra has no transaction for a batch. No operation was applied. Apply each operation separately.");
    }

    @Override
    public Execution unguarded() {
        return new Execution(settings.scope(), null, null, Duration.ZERO);
    }

    @Override
    public boolean recognizes(Operation operation) {
        Long fingerprint = operation.fingerprint();
        return fingerprint == null || counters.recognizes(operation.id(), fingerprint);
    }
}
