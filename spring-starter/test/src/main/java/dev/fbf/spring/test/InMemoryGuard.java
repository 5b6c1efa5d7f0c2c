package dev.fbf.spring.test;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.CallContext;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.KeptResponses;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import org.jspecify.annotations.Nullable;

/** Guard of operations in memory. Thread-safe. */
final class InMemoryGuard extends OperationGuard {

    private final ScopeDefinition scope;
    private final InMemoryOperations operations;
    private final InMemoryCalls calls;

    InMemoryGuard(
            OperationSettings settings,
            ScopeDefinition scope,
            InMemoryOperations operations,
            InMemoryCalls calls,
            @Nullable KeptResponses responses) {
        super(settings, scope, responses);
        this.scope = scope;
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
            claimed.rolledBack();
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
    public CallContext.@Nullable Transaction transaction() {
        return InMemoryTransaction.current();
    }

    @Override
    public boolean isInTransaction(Operation operation) {
        InMemoryOperation known = operations.find(operation.id());
        return known != null && known.isIn(InMemoryTransaction.current());
    }

    @Override
    public Execution begin(Claim claim, Operation operation) {
        return new Execution(new InMemoryCall(this, operation, InMemoryTransaction.current()), claim);
    }

    @Override
    public Execution unguarded() {
        return Execution.unguarded(new InMemoryCall(this, null, null));
    }

    @Override
    public boolean recognizes(Operation operation) {
        InMemoryOperation known = operations.find(operation.id());
        return known == null || known.isOfSameRequest(operation.fingerprint());
    }
}
