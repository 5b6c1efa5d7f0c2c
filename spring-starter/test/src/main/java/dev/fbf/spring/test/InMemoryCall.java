package dev.fbf.spring.test;

import dev.fbf.core.claim.Claim;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Call whose work runs in a transaction, whose outcome is the outcome of an operation in memory. */
final class InMemoryCall extends Execution {

    private final InMemoryGuard guard;

    /** The requested operation; null if the call has no key and needs none. */
    private final @Nullable Operation operation;

    InMemoryCall(InMemoryGuard guard, @Nullable Operation operation, @Nullable Claim claim) {
        super(guard.settings().scope(), claim, claim == null ? null : InMemoryTransaction.current(), Duration.ZERO);
        this.guard = guard;
        this.operation = operation;
    }

    @Override
    @SuppressWarnings("NullAway") // null only if the work returns null or is not called
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
            throws E {
        return guard.calls().<@Nullable T, E>call(guard.settings(), () -> {
            if (operation == null) {
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
        InMemoryOperation claim = (InMemoryOperation) claim();
        InMemoryTransaction transaction = Objects.requireNonNull(InMemoryTransaction.current());
        claim.enter(transaction);
        entered(claim, transaction);
    }
}
