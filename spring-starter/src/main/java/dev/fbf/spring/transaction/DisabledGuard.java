package dev.fbf.spring.transaction;

import dev.fbf.core.claim.Admission;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationGuard;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.ScopeDefinition;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Guard that lets every call through, including retries, in the same kind of transaction as an enabled one. Thread-safe. */
final class DisabledGuard extends OperationGuard {

    private final PlainTransactions transactions;

    DisabledGuard(OperationSettings settings, ScopeDefinition scope, PlainTransactions transactions) {
        super(settings, scope);
        this.transactions = transactions;
    }

    @Override
    public boolean letsThrough() {
        return true;
    }

    @Override
    public Execution begin(List<Execution.Claimed> none) {
        return new Execution(settings.scope(), none, null, Duration.ZERO) {

            @Override
            public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
                    throws E {
                return transactions.call(settings, work);
            }
        };
    }

    @Override
    protected Admission admit(Operation operation, boolean isAlone) {
        throw notAsked();
    }

    @Override
    public boolean recognizes(Operation operation) {
        throw notAsked();
    }

    private static IllegalStateException notAsked() {
        return new IllegalStateException("fbf.enabled=false: no operation is admitted");
    }

    @Override
    public boolean isHeldByThisThread(Operation operation) {
        return false;
    }
}
