package dev.fbf.spring.test;

import dev.fbf.core.claim.Admission;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.operation.CallTransaction;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import java.util.List;
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
    protected Admission admit(Operation operation, boolean isAlone) {
        InMemoryOperation claimed = new InMemoryOperation(operations, operation, scope.retryWindow());
        InMemoryOperation known = operations.addIfNew(claimed);
        if (known != null) {
            return known.isDuplicate() ? Refusal.APPLIED : Refusal.IN_PROGRESS;
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
    public Execution begin(List<Execution.Claimed> claimed) {
        return new InMemoryCall(this, claimed);
    }

    @Override
    public boolean recognizes(Operation operation) {
        InMemoryOperation known = operations.find(operation.id());
        return known == null || known.isOfSameRequest(operation.fingerprint());
    }
}
