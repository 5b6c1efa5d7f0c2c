package dev.fbf.spring.test;

import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.operation.CallContext;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs work in a transaction, whose outcome is the outcome of an operation in memory.
 *
 * @param operation the requested operation; null if the call has no key and needs none
 * @param caller the caller's transaction; null if there is none
 */
record InMemoryCall(
        InMemoryGuard guard,
        @Nullable Operation operation,
        @Nullable InMemoryTransaction caller) implements CallContext {

    @Override
    public String scope() {
        return guard.settings().scope();
    }

    @Override
    @SuppressWarnings("NullAway") // null only if the work returns null or is not called
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(
            Execution execution, IdempotentScope.Work<T, E> work) throws E {
        return guard.calls().<@Nullable T, E>call(guard.settings(), () -> {
            if (operation == null) {
                return work.run();
            }
            if (!enter(execution, operation)) {
                return null;
            }
            T result = work.run();
            execution.returned(result);
            return result;
        });
    }

    private boolean enter(Execution execution, Operation entering) {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "@IdempotentIncrement cannot take part in a read-only transaction: it would record nothing");
        }
        InMemoryOperation claim = (InMemoryOperation) execution.claim(() -> guard.admit(entering));
        if (claim != null) {
            InMemoryTransaction transaction = Objects.requireNonNull(InMemoryTransaction.current());
            claim.enter(transaction);
            execution.entered(claim, transaction);
        }
        return claim != null;
    }
}
