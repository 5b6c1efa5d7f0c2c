package dev.fbf.spring.test;

import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.operation.Execution;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Call whose work runs in a transaction, whose outcome is the outcome of an operation in memory. */
final class InMemoryCall extends Execution {

    private final InMemoryGuard guard;

    InMemoryCall(InMemoryGuard guard, List<Claimed> claimed) {
        super(
                guard.settings().scope(),
                claimed,
                claimed.isEmpty() ? null : InMemoryTransaction.current(),
                Duration.ZERO);
        this.guard = guard;
    }

    @Override
    @SuppressWarnings("NullAway") // null only if the work returns null or is not called
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
            throws E {
        return guard.calls().<@Nullable T, E>call(guard.settings(), () -> {
            if (isUnguarded()) {
                return work.run();
            }
            enter();
            T result = work.run();
            returned(result);
            return result;
        });
    }

    private void enter() {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "An operation cannot be applied in a read-only transaction: nothing would be recorded. Omit readOnly = true.");
        }
        InMemoryTransaction transaction = Objects.requireNonNull(InMemoryTransaction.current());
        List<Claimed> claimed = claimed();
        claimed.forEach(operation -> ((InMemoryOperation) operation.claim()).enter(transaction));
        entered(claimed, transaction);
    }
}
