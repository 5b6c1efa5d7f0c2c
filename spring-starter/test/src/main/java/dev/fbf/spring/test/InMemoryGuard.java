package dev.fbf.spring.test;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.CallTransaction;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.ScopeDefinition;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Guard of operations in memory. Thread-safe. */
final class InMemoryGuard extends OperationGuard {

    private final InMemoryOperations operations;
    private final InMemoryCalls calls;

    InMemoryGuard(
            OperationSettings settings, ScopeDefinition scope, InMemoryOperations operations, InMemoryCalls calls) {
        super(settings, scope);
        this.operations = operations;
        this.calls = calls;
    }

    InMemoryCalls calls() {
        return calls;
    }

    @Override
    public Admission admit(Operation operation) {
        InMemoryOperation claimed = new InMemoryOperation(operations, operation, scope.retryWindow());
        InMemoryOperation known = operations.addIfNew(claimed);
        if (known != null) {
            return known.isDuplicate() ? Refusal.APPLIED : Refusal.IN_PROGRESS;
        }
        try {
            requireNotForgotten(operation);
        } catch (OperationRefusedException e) {
            claimed.free();
            throw e;
        }
        return claimed;
    }

    @Override
    public boolean isHeldByThisThread(Operation operation) {
        InMemoryOperation known = operations.find(operation.id());
        return known != null && known.isHeldByThisThread();
    }

    @Override
    public @Nullable CallTransaction transaction() {
        return InMemoryTransaction.current();
    }

    @Override
    public boolean isInTransaction(Operation operation) {
        InMemoryOperation known = operations.find(operation.id());
        return known != null && known.isIn(InMemoryTransaction.current());
    }

    @Override
    public Execution begin(Claim claim, Operation operation) {
        return new InMemoryCall(this, operation, claim);
    }

    @Override
    public <E extends Throwable> int applyAll(
            List<Operation> batch, IdempotentScope.BatchWork<Operation, E> work, OperationObservationContext observed)
            throws E {
        Map<Operation, Claim> claims = new LinkedHashMap<>();
        try {
            for (Operation operation : batch) {
                Admission admission = admit(operation);
                if (admission instanceof Claim claim) {
                    claims.put(operation, claim);
                } else if (admission == Refusal.IN_PROGRESS && !isInTransaction(operation)) {
                    throw Refusals.of(Refusal.IN_PROGRESS, settings.scope(), null);
                }
            }
            if (claims.isEmpty()) {
                observed.setOutcome(OperationOutcome.REPLAYED);
                return 0;
            }
            List<Operation> applied = List.copyOf(claims.keySet());
            nest(List.copyOf(claims.entrySet()).iterator(), () -> work.run(applied));
            InMemoryOperation first =
                    (InMemoryOperation) claims.values().iterator().next();
            OperationTransaction.State state = first.state();
            if (state == OperationTransaction.State.ROLLED_BACK) {
                observed.setOutcome(OperationOutcome.FAILED);
                return 0;
            }
            if (!state.isEnd()) {
                observed.setOutcome(OperationOutcome.PENDING);
            }
            return applied.size();
        } finally {
            claims.values().stream().filter(Claim::isHeld).forEach(Claim::free);
        }
    }

    /** Runs the work within a call per operation. Each call joins the transaction of the call around it. */
    private <E extends Throwable> void nest(Iterator<Map.Entry<Operation, Claim>> rest, IdempotentScope.Action<E> work)
            throws E {
        if (!rest.hasNext()) {
            work.run();
            return;
        }
        Map.Entry<Operation, Claim> next = rest.next();
        begin(next.getValue(), next.getKey()).<Boolean, E>call(() -> {
            nest(rest, work);
            return true;
        });
    }

    @Override
    public Execution unguarded() {
        return new InMemoryCall(this, null, null);
    }

    @Override
    public boolean recognizes(Operation operation) {
        InMemoryOperation known = operations.find(operation.id());
        return known == null || known.isOfSameRequest(operation.fingerprint());
    }
}
