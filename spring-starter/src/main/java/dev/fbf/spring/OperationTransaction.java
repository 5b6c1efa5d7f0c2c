package dev.fbf.spring;

import dev.fbf.spring.GuardedCall.Work;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** Calls what an operation consists of in the transaction of this thread, or in one of its own. */
final class OperationTransaction {

    private OperationTransaction() {}

    /**
     * Makes the operation part of the transaction, then calls the work.
     *
     * @return what the work has returned; null, too, if {@link Enlistment#refusal()} tells why it was not called
     */
    static <T, E extends Throwable> @Nullable T call(Enlistment enlistment, Work<T, E> work) throws E {
        LazyConnectionHolder lazy = enlistment.bindLazyConnection();
        try {
            return call(enlistment, enlistment.manager(), work);
        } finally {
            if (lazy != null) {
                lazy.close();
            }
        }
    }

    /** Calls work that has no key and needs none: a method does not lose its transaction because a client sends no key. */
    static <T, E extends Throwable> @Nullable T callUnguarded(PlatformTransactionManager manager, Work<T, E> work)
            throws E {
        TransactionStatus transaction = manager.getTransaction(new DefaultTransactionDefinition());
        T result = run(new GuardedCall(null), manager, transaction, work);
        if (transaction.isNewTransaction()) {
            manager.commit(transaction);
        }
        return result;
    }

    private static <T, E extends Throwable> @Nullable T call(
            Enlistment enlistment, PlatformTransactionManager manager, Work<T, E> work) throws E {
        TransactionStatus transaction = manager.getTransaction(new DefaultTransactionDefinition());
        if (transaction.isNewTransaction()) {
            enlistment.inOwnTransaction();
        } else {
            enlistment.requireRoom();
        }
        if (!enter(enlistment, manager, transaction)) {
            return null;
        }
        T result = run(new GuardedCall(enlistment), manager, transaction, work);
        enlistment.returned(result);
        if (transaction.isNewTransaction()) {
            manager.commit(transaction);
        }
        return result;
    }

    /** Whatever the work throws: an exception means that the operation was not applied. */
    private static <T, E extends Throwable> @Nullable T run(
            GuardedCall call, PlatformTransactionManager manager, TransactionStatus transaction, Work<T, E> work)
            throws E {
        try {
            return call.run(work);
        } catch (Throwable thrown) {
            if (transaction.isNewTransaction()) {
                rollback(manager, transaction, thrown);
            }
            throw thrown;
        }
    }

    /** A transaction in which that fails can only roll back, the caller's, too. */
    private static boolean enter(
            Enlistment enlistment, PlatformTransactionManager manager, TransactionStatus transaction) {
        boolean entered;
        try {
            entered = enlistment.enter();
        } catch (Throwable thrown) {
            rollback(manager, transaction, thrown);
            throw thrown;
        }
        if (!entered && (transaction.isNewTransaction() || enlistment.spoiltTransaction())) {
            manager.rollback(transaction);
        }
        return entered;
    }

    private static void rollback(PlatformTransactionManager manager, TransactionStatus transaction, Throwable cause) {
        try {
            manager.rollback(transaction);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
