package dev.fbf.spring.cassandra;

import dev.fbf.cassandra.LaneCounters;
import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Refusal;
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
    protected Admission admit(Operation operation, boolean isAlone) {
        return stopping.getAsBoolean() ? Refusal.STOPPED : counters.admit(operation.id(), operation.fingerprint());
    }

    LaneCounters counters() {
        return counters;
    }

    @Override
    public boolean isHeldByThisThread(Operation operation) {
        return LaneCall.isCurrent(operation.id());
    }

    @Override
    public Execution begin(List<Execution.Claimed> claimed) {
        return claimed.isEmpty()
                ? new Execution(settings.scope(), claimed, null, Duration.ZERO)
                : new LaneCall(this, claimed);
    }

    /** Always throws: Cassandra has no transaction for a batch. */
    @Override
    protected void requireRoom(int operations) {
        throw new UnsupportedOperationException("scope=" + settings.scope()
                + ": Cassandra has no transaction for a batch. No operation was applied. Apply each operation"
                + " separately.");
    }

    @Override
    public boolean recognizes(Operation operation) {
        Long fingerprint = operation.fingerprint();
        return fingerprint == null || !counters.filter().isOfAnotherRequest(operation.id(), fingerprint);
    }
}
