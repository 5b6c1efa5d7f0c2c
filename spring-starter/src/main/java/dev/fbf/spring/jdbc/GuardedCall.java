package dev.fbf.spring.jdbc;

import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.operation.CallContext;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.UnfinishedResults;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/**
 * A call of guarded work, in the transaction of this thread or in one of its own.
 *
 * @param database its transaction manager begins the transaction
 * @param settings of its operation
 * @param enlistment what makes its operation part of that transaction; null if it has no key and needs none: a method does not
 *     lose its transaction because a client sends no key
 */
record GuardedCall(
        GuardedDatabase database,
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
        TransactionStatus transaction = begin();
        requireOpen(transaction);
        if (transaction.isNewTransaction()) {
            OwnTransaction.begun(settings);
        }
        if (enlistment != null && !enter(enlistment, transaction)) {
            return null;
        }
        T result = run(transaction, work);
        requireFinished(transaction, result);
        if (enlistment != null) {
            enlistment.returned(result);
        }
        if (transaction.isNewTransaction()) {
            database.manager().commit(transaction);
        }
        return result;
    }

    private TransactionStatus begin() {
        try {
            return database.manager().getTransaction(TransactionDefinition.withDefaults());
        } catch (CannotCreateTransactionException e) {
            if (enlistment != null) {
                throw e; // it decides
            }
            throw Refusals.of(Refusal.UNREACHABLE, settings.scope(), e);
        }
    }

    /** With or without an operation: what is written in a transaction that has ended is lost. */
    private void requireOpen(TransactionStatus transaction) {
        GuardedTransaction current = database.transactions().current();
        if (current != null && !transaction.isNewTransaction()) {
            try {
                current.requireOpen(settings.scope());
            } catch (IllegalStateException e) {
                rollback(transaction, e);
                throw e;
            }
        }
    }

    /** An operation whose work is not done yet must not commit, not even in the caller's transaction. */
    private void requireFinished(TransactionStatus transaction, @Nullable Object result) {
        Class<?> unfinished = UnfinishedResults.in(result);
        if (unfinished != null) {
            RuntimeException refusal = new IllegalStateException(
                    settings.declaredBy() + ": has returned a "
                            + unfinished.getName()
                            + ", which is work still to be done, so that its transaction would end before that"
                            + " work. The transaction is rolled back. Return the result itself; virtual threads make waiting cheap.");
            rollback(transaction, refusal);
            throw refusal;
        }
    }

    /** A transaction in which that fails can only roll back, the caller's, too. */
    private boolean enter(Enlistment operation, TransactionStatus transaction) {
        if (!transaction.isNewTransaction()) {
            operation.requireAdmitted();
        }
        boolean entered;
        try {
            entered = operation.enter();
        } catch (Throwable thrown) {
            rollback(transaction, thrown);
            throw thrown;
        }
        if (!entered && (transaction.isNewTransaction() || operation.spoiltTransaction())) {
            database.manager().rollback(transaction);
        }
        return entered;
    }

    /** Whatever the work throws: an exception means that the operation was not applied. */
    private <T, E extends Throwable> @Nullable T run(TransactionStatus transaction, Work<T, E> work) throws E {
        GuardedCall outer = CURRENT.get();
        try {
            CURRENT.set(this);
            try {
                return transaction.isNewTransaction()
                        ? CurrentStatus.run(transaction, settings.declaredBy(), work)
                        : work.run();
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
            database.manager().rollback(transaction);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
