package dev.fbf.spring.test;

import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.transaction.PlainTransactions;
import org.jspecify.annotations.Nullable;

/** Registry of the guarded calls of all threads. Thread-safe. */
final class InMemoryCalls {

    private final PlainTransactions transactions;
    private final ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);

    InMemoryCalls(PlainTransactions transactions) {
        this.transactions = transactions;
    }

    <T extends @Nullable Object, E extends Throwable> T call(
            OperationSettings settings, IdempotentScope.Work<T, E> work) throws E {
        return transactions.call(settings, () -> {
            int outer = depth.get();
            depth.set(outer + 1);
            try {
                return work.run();
            } finally {
                depth.set(outer);
            }
        });
    }

    /** Throws if this thread is not in a guarded call. */
    void requireOne() {
        if (depth.get() == 0) {
            throw new IllegalStateException(
                    "the caller is not an @IdempotentIncrement method, so there is no operation that could be applied"
                            + " once. Call from one, or name the operation: increment(key, counter, delta).");
        }
    }
}
