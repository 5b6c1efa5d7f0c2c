package dev.fbf.spring.transaction;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * The call of guarded work that this thread is in, from the begin of its transaction to its return.
 *
 * @param enlistment what makes its operation part of that transaction; null if it has no key and needs none
 */
public record GuardedCall(@Nullable Enlistment enlistment) {

    private static final ThreadLocal<@Nullable GuardedCall> CURRENT = new ThreadLocal<>();

    /** The innermost one; null outside of any. */
    public static @Nullable GuardedCall current() {
        return CURRENT.get();
    }

    /** The work. */
    @FunctionalInterface
    public interface Work<T, E extends Throwable> {
        @Nullable T run() throws E;
    }

    /**
     * Makes the operation part of the transaction of this thread, or of one of its own, then calls the work.
     *
     * @return what the work has returned; null, too, if {@link Enlistment#refusal()} tells why it was not called
     */
    public static <T, E extends Throwable> @Nullable T inTransaction(Enlistment enlistment, Work<T, E> work) throws E {
        LazyConnectionHolder lazy = enlistment.bindLazyConnection();
        try {
            return inTransaction(enlistment, enlistment.manager(), work);
        } finally {
            if (lazy != null) {
                lazy.close();
            }
        }
    }

    /**
     * Calls work that has no key and needs none, in the transaction of this thread, or in one of its own: a method does not lose
     * its transaction because a client sends no key.
     */
    public static <T, E extends Throwable> @Nullable T unguarded(PlatformTransactionManager manager, Work<T, E> work)
            throws E {
        TransactionStatus transaction = manager.getTransaction(new DefaultTransactionDefinition());
        T result = run(new GuardedCall(null), manager, transaction, work);
        if (transaction.isNewTransaction()) {
            manager.commit(transaction);
        }
        return result;
    }

    private static <T, E extends Throwable> @Nullable T inTransaction(
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

    private <T, E extends Throwable> @Nullable T run(Work<T, E> work) throws E {
        GuardedCall outer = CURRENT.get();
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
    }
}
