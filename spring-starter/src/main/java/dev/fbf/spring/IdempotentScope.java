package dev.fbf.spring;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Operations of one scope, each applied once. Created by {@link IdempotentOperations}.
 *
 * <p>Work runs in a transaction: the caller's, or a new one. The operation counts as applied when that transaction's COMMIT is known; a
 * rollback, which every exception of the work causes, frees it for the next attempt. If the work joins the caller's transaction, that
 * transaction's outcome decides. To set an isolation or a timeout, the caller begins the transaction itself, for example with a {@code
 * TransactionTemplate}.
 *
 * <p>Scope, caller and key together name an operation. Immutable and thread-safe.
 */
public interface IdempotentScope {

    /**
     * The work of an operation, or its replacement for duplicates.
     *
     * @param <T> the result
     * @param <E> the exception that it may throw; {@link RuntimeException} if it throws no checked exception
     */
    @FunctionalInterface
    interface Work<T extends @Nullable Object, E extends Throwable> {

        /**
         * Does the work.
         *
         * @return the result
         * @throws E if it fails
         */
        T run() throws E;
    }

    /**
     * The work of an operation, without a result.
     *
     * @param <E> the exception that it may throw; {@link RuntimeException} if it throws no checked exception
     */
    @FunctionalInterface
    interface Action<E extends Throwable> {

        /**
         * Does the work.
         *
         * @throws E if it fails
         */
        void run() throws E;
    }

    /**
     * The work of the operations of a batch that are new.
     *
     * @param <T> the items of the batch, such as messages
     * @param <E> the exception that it may throw; {@link RuntimeException} if it throws no checked exception
     */
    @FunctionalInterface
    interface BatchWork<T extends @Nullable Object, E extends Throwable> {

        /**
         * Does the work.
         *
         * @param items the items whose operations are new, in their order; at least one
         * @throws E if it fails
         */
        void run(List<T> items) throws E;
    }

    /**
     * Returns this scope with the operations of one caller: the same key of two callers names two operations.
     *
     * @param name well-formed Unicode; empty for no particular caller, which is the default for keys from the program. For the key of a
     *     request, the default is the caller of the request
     * @return the scope
     */
    IdempotentScope caller(String name);

    /**
     * Applies an operation once.
     *
     * <p>If the key comes from a request, another request with the same key is refused, and a duplicate whose first response was kept ends
     * the handler with an exception. Two uses of the key within one transaction are one operation.
     *
     * @param <T> the result
     * @param <E> the exception that the work may throw
     * @param key names the operation, among those of this scope and caller
     * @param work the work of the operation
     * @param onDuplicate called instead if the operation was applied before; gets no new transaction
     * @return the result of the work or of {@code onDuplicate}
     * @throws E if the work or {@code onDuplicate} throws it; if the work does, the operation was not applied, unless the work joined the
     *     caller's transaction and that commits
     * @throws OperationInProgressException if another call is applying the operation
     * @throws OperationUnavailableException if the operation cannot be applied now, or its outcome is unknown; a retry with the same key is
     *     safe
     * @throws IdempotencyKeyException if the key is too old or from the future, a required time is missing, or the key comes from a request
     *     and the operation was applied for another request
     * @throws IllegalStateException if the caller's transaction is read-only or ending, or has applied a quarter of {@code
     *     fbf.max-claims} operations. Also thrown if the key comes from a request with another operation in another transaction, or is
     *     used outside the thread of its handler
     */
    <T extends @Nullable Object, E extends Throwable> T execute(
            IdempotencyKey key, Work<T, E> work, Work<T, E> onDuplicate) throws E;

    /**
     * Applies an operation once; otherwise as {@link #execute(IdempotencyKey, Work, Work)}.
     *
     * @param <E> the exception that the work may throw
     * @param key names the operation, among those of this scope and caller
     * @param work the work of the operation
     * @return true if the work has run; false if the operation was applied before
     * @throws E if the work throws it; the operation was not applied, unless the work joined the caller's transaction and that commits
     */
    default <E extends Throwable> boolean execute(IdempotencyKey key, Action<E> work) throws E {
        return execute(
                key,
                () -> {
                    work.run();
                    return true;
                },
                () -> false);
    }

    /**
     * Applies the operations of a batch once each, with one call of the work, in one transaction: all that are new are applied, or none. In
     * ledger mode one statement records all of them.
     *
     * <pre>{@code
     * payments.executeAll(records, record -> IdempotencyKey.of(record.key()), this::book);
     * }</pre>
     *
     * <p>If another process is applying one of the operations, this call waits for the end of that process's transaction, as for a row's
     * lock. The work is not called if all operations were applied before. Of several items with one key, the first one counts.
     *
     * @param <T> the items of the batch, such as messages
     * @param <E> the exception that the work may throw
     * @param items the items; at most a quarter of {@code fbf.max-claims}
     * @param key returns the key that names the operation of an item, among those of this scope and caller; not the key of a request
     * @param work called with the items whose operations are new
     * @return the number of operations that this call has applied; 0 also if the work marked its transaction rollback-only
     * @throws E if the work throws it; no operation was applied, unless the work joined the caller's transaction and that commits
     * @throws OperationInProgressException if another call is applying one of the operations; none was applied
     * @throws OperationUnavailableException if the operations cannot be applied now, or their outcome is unknown; a retry with the same
     *     keys is safe
     * @throws IdempotencyKeyException if a key is too old or from the future, or a required time is missing; no operation was applied
     * @throws IllegalStateException if the transaction is read-only or ending, or would apply more than a quarter of {@code
     *     fbf.max-claims} operations
     * @throws IllegalArgumentException if a key comes from a request
     */
    <T extends @Nullable Object, E extends Throwable> int executeAll(
            Collection<T> items, Function<? super T, IdempotencyKey> key, BatchWork<T, E> work) throws E;

    /** Builder of an {@link IdempotentScope}. Not thread-safe. */
    interface Builder {

        /**
         * Sets the transaction manager that applies the operations.
         *
         * @param beanName its bean name or qualifier; the only or primary one, or the only one with a data source, if this is not called
         * @return this
         */
        Builder transactionManager(String beanName);

        /**
         * Sets the longest wait of a call while another call is applying the same operation, as {@link
         * IdempotentIncrement#waitInProgress()} does.
         *
         * @param longest not negative; if this is not called, 30 seconds outside of requests, and no wait within them
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        Builder waitInProgress(Duration longest);

        /**
         * Sets how long operations are remembered, as {@link IdempotentIncrement#retryWindow()} does.
         *
         * @param window 1 second to 365 days; if this is not called, {@code fbf.retry-window}
         * @return this
         * @throws IllegalArgumentException if it is out of that range
         */
        Builder retryWindow(Duration window);

        /**
         * Sets whether the work only executes SQL, as {@link IdempotentIncrement#sqlOnly()} does.
         *
         * @param onlySql true to promise it; false if this is not called
         * @return this
         */
        Builder sqlOnly(boolean onlySql);

        /**
         * Creates the scope. It is opened during startup or, if it is built later, by this call or its first operation.
         *
         * @return the scope
         */
        IdempotentScope build();
    }
}
