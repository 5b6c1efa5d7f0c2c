package dev.fbf.spring.transaction;

import dev.fbf.spring.admission.CallContext;
import dev.fbf.spring.declaration.OperationSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;

/**
 * A call of guarded work, in the transaction of this thread or in one of its own.
 *
 * @param manager begins the transaction
 * @param settings how it begins it
 * @param enlistment what makes its operation part of that transaction; null if it has no key and needs none: a method does not
 *     lose its transaction because a client sends no key
 */
public record GuardedCall(
        PlatformTransactionManager manager,
        OperationSettings settings,
        @Nullable Enlistment enlistment) implements CallContext {

    private static final ThreadLocal<@Nullable GuardedCall> CURRENT = new ThreadLocal<>();

    /** The innermost one that this thread is in, from the begin of its transaction to its return; null outside of any. */
    public static @Nullable GuardedCall current() {
        return CURRENT.get();
    }

    /** Makes the operation part of the transaction, then calls the work. */
    @Override
    public <T, E extends Throwable> @Nullable T call(Work<T, E> work) throws E {
        LazyConnectionHolder lazy = enlistment == null ? null : enlistment.bindLazyConnection();
        try {
            TransactionStatus transaction = manager.getTransaction(OwnTransaction.definition(settings));
            if (transaction.isNewTransaction()) {
                OwnTransaction.begun(settings);
            } else {
                OwnTransaction.requireCovers(settings);
            }
            if (enlistment != null && !enter(enlistment, transaction)) {
                return null;
            }
            T result = run(transaction, work);
            if (enlistment != null) {
                enlistment.returned(result);
            }
            if (transaction.isNewTransaction()) {
                manager.commit(transaction);
            }
            return result;
        } finally {
            if (lazy != null) {
                lazy.close();
            }
        }
    }

    /** A transaction in which that fails can only roll back, the caller's, too. */
    private boolean enter(Enlistment operation, TransactionStatus transaction) {
        if (transaction.isNewTransaction()) {
            operation.inOwnTransaction();
        } else {
            operation.requireRoom();
        }
        boolean entered;
        try {
            entered = operation.enter();
        } catch (Throwable thrown) {
            rollback(transaction, thrown);
            throw thrown;
        }
        if (!entered && (transaction.isNewTransaction() || operation.spoiltTransaction())) {
            manager.rollback(transaction);
        }
        return entered;
    }

    /** Whatever the work throws: an exception means that the operation was not applied. */
    private <T, E extends Throwable> @Nullable T run(TransactionStatus transaction, Work<T, E> work) throws E {
        GuardedCall outer = CURRENT.get();
        try {
            CURRENT.set(this);
            try {
                return work.run();
            } finally {
                if (outer == null) {
                    CURRENT.remove();
                } else {
                    CURRENT.set(outer);
                }
            }
        } catch (Throwable thrown) {
            if (transaction.isNewTransaction()) {
                rollback(transaction, thrown);
            }
            throw thrown;
        }
    }

    private void rollback(TransactionStatus transaction, Throwable cause) {
        try {
            manager.rollback(transaction);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
