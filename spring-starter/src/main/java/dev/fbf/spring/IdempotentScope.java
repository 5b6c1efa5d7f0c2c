package dev.fbf.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A family of operations that share one filter, each applied once. Made by {@link IdempotentOperations}.
 *
 * <p>Work runs in a transaction: it joins the caller's, or gets one of its own. The operation counts as applied when that
 * transaction's COMMIT is known; a rollback, which every exception of the work causes, frees it for the next try. Where the
 * caller's transaction goes on, its outcome decides. Where work needs an isolation or a timeout of its own, the caller begins the
 * transaction with it, as with a {@code TransactionTemplate}.
 *
 * <p>Scope, caller and key together name an operation. Immutable and thread-safe.
 */
public interface IdempotentScope {

    /**
     * What an operation does, or what stands in for it.
     *
     * @param <T> the result
     * @param <E> what it may throw; {@link RuntimeException} if nothing that is checked
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
     * What an operation does, without a result.
     *
     * @param <E> what it may throw; {@link RuntimeException} if nothing that is checked
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
     * Returns this scope with the operations of one caller: the same key of two callers names two operations.
     *
     * @param name well-formed Unicode; empty for no caller in particular, which is the default for keys of the program's own. The
     *     authenticated user is the default for the key of a request
     * @return the scope
     */
    IdempotentScope caller(String name);

    /**
     * Applies an operation once.
     *
     * <p>With the key of a request, the same key with another request is refused, and a duplicate whose first response was kept leaves the
     * handler as an exception. Two uses of the key within one transaction are one operation.
     *
     * @param <T> the result
     * @param <E> what the work may throw
     * @param key names the operation, among those of this scope and caller
     * @param work what the operation does
     * @param onDuplicate what is called in its place if it was applied before, without a transaction of its own
     * @return what the one or the other has returned
     * @throws E if the one or the other has thrown that; if the work has, the operation was not applied
     * @throws OperationInProgressException if another call is applying the operation
     * @throws OperationUnavailableException if it cannot be applied now, or it is not known whether it was; a retry with the
     *     same key is safe
     * @throws IdempotencyKeyException if the key carries a time before the retry window or in the future, or has no time and must have
     *     one
     * @throws IllegalStateException if the caller's transaction is read-only, or has applied a quarter of {@code fbf.max-claims}
     *     operations; or if the key is that of a request, and has applied an operation that was committed without this one
     */
    <T extends @Nullable Object, E extends Throwable> T execute(
            IdempotencyKey key, Work<T, E> work, Work<T, E> onDuplicate) throws E;

    /**
     * Applies an operation once; otherwise as {@link #execute(IdempotencyKey, Work, Work)}.
     *
     * @param <E> what the work may throw
     * @param key names the operation, among those of this scope and caller
     * @param work what the operation does
     * @return whether this call has applied it; false if it was applied before
     * @throws E if the work has thrown that; then the operation was not applied
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

    /** Makes an {@link IdempotentScope}. Not thread-safe. */
    interface Builder {

        /**
         * Sets the manager whose transactions apply the operations.
         *
         * @param beanName its bean name or qualifier; the only or primary one if this is not called
         * @return this
         */
        Builder transactionManager(String beanName);

        /**
         * Sets how long a call waits while another one is applying the same operation, as
         * {@link IdempotentIncrement#waitInProgress()} does.
         *
         * @param longest not negative; none if this is not called: such a call is refused at once
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        Builder waitInProgress(Duration longest);

        /**
         * Sets whether work consists of SQL alone, as {@link IdempotentIncrement#sqlOnly()} does.
         *
         * @param onlySql false if this is not called
         * @return this
         */
        Builder sqlOnly(boolean onlySql);

        /**
         * Makes the scope. It is opened when the application has started, or with its first operation.
         *
         * @return the scope
         */
        IdempotentScope build();
    }
}
