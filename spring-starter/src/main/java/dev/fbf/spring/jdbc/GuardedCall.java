package dev.fbf.spring.jdbc;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.CallTransaction;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.UnfinishedResults;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/** Call whose work runs in the transaction of this thread, or in a new one, and whose operation, if any, is entered there. */
final class GuardedCall extends Execution {

    private static final ThreadLocal<@Nullable GuardedCall> CURRENT = new ThreadLocal<>();

    private final SqlOperationGuard guard;
    private final GuardedDatabase database;
    private final OperationSettings settings;

    /** The requested operation; null for a batch, and for a call without a key that needs none. */
    private final @Nullable Operation operation;

    GuardedCall(SqlOperationGuard guard, @Nullable Operation operation, @Nullable Claim claim) {
        super(guard.settings().scope(), claim, guard.database.transactions.current(), guard.settleTimeout);
        this.guard = guard;
        this.operation = operation;
        database = guard.database;
        settings = guard.settings();
    }

    /** Returns the innermost guarded call whose work this thread is executing; null if there is none. */
    static @Nullable GuardedCall current() {
        return CURRENT.get();
    }

    GuardedDatabase database() {
        return database;
    }

    /** Returns whether the call was made in this transaction. */
    boolean isMadeIn(GuardedTransaction transaction) {
        return transaction == caller;
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
            throws E {
        TransactionStatus transaction = begin();
        GuardedTransaction current = database.transactions.current();
        if (current != null && !transaction.isNewTransaction()) {
            requireOpen(current, transaction);
        }
        if (operation != null && !enter(operation, transaction)) {
            return null;
        }
        T result = run(transaction, work);
        requireFinished(transaction, result);
        if (operation != null) {
            returned(result);
        }
        if (transaction.isNewTransaction()) {
            database.manager.commit(transaction);
        }
        return result;
    }

    private TransactionStatus begin() {
        try {
            return database.manager.getTransaction(TransactionDefinition.withDefaults());
        } catch (CannotCreateTransactionException e) {
            if (operation != null) {
                throw e; // becomes a refusal when the outcome is determined
            }
            throw Refusals.of(Refusal.UNREACHABLE, settings.scope(), e);
        }
    }

    /** Checks that the transaction is open, also for a call without an operation: changes in an ended transaction are lost. */
    private void requireOpen(GuardedTransaction current, TransactionStatus transaction) {
        try {
            current.requireOpen(settings.scope());
        } catch (IllegalStateException e) {
            rollback(transaction, e);
            throw e;
        }
    }

    /**
     * Enters the operation in the transaction; returns whether to call the work. After an exception, except from {@link #requireAdmitted},
     * the transaction can only roll back, even if it is the caller's.
     */
    private boolean enter(Operation entering, TransactionStatus transaction) {
        if (!transaction.isNewTransaction()) {
            requireAdmitted(entering);
        }
        boolean entered;
        try {
            entered = enterInTransaction(entering);
        } catch (Throwable thrown) {
            rollback(transaction, thrown);
            throw thrown;
        }
        if (!entered && (transaction.isNewTransaction() || refusal() == Refusal.RECOVERING)) {
            database.manager.rollback(transaction);
            decideEntry();
        }
        return entered;
    }

    /** Throws if the operation cannot be part of the caller's transaction, which can continue without it. */
    private void requireAdmitted(Operation entering) {
        GuardedTransaction current = database.transactions.current();
        if (current != null) {
            current.requireRoom(settings.scope(), 1);
        }
        // a refusal must come before the caller's transaction is marked rollback-only
        guard.isRecordedOutsideWindow(this, entering);
    }

    /** Enters the operation in this thread's transaction; returns whether to call the work. */
    private boolean enterInTransaction(Operation entering) {
        GuardedTransaction transaction = database.requireTransaction();
        Claim claim = claim();
        if (guard.isRecordedOutsideWindow(this, entering)) {
            refuse(Refusal.APPLIED);
            return false;
        }
        LostWork lost = transaction == caller
                ? LostWork.CALLERS
                : settings.sqlOnly() ? LostWork.CALL_WITHOUT_TRACE : LostWork.CALL;
        Refusal refusal;
        try {
            refusal = transaction.enter(claim, entering.fingerprint(), database.currentConnection(), lost);
        } catch (SQLException e) {
            notEntered(claim, transaction);
            throw GuardedDatabase.translate("make an operation part of a transaction", e);
        }
        boolean isDecidedLater = refusal == Refusal.IN_PROGRESS || refusal == Refusal.CONFLICT;
        if (isDecidedLater && lost != LostWork.CALLERS) { // the ledger is asked after the rollback
            notEntered(claim, transaction);
            return false;
        }
        if (refusal != null) {
            refuse(refusal);
            return false;
        }
        entered(claim, transaction);
        try {
            guard.requireNotForgotten(entering); // repeated, because entering may have taken long
        } catch (OperationRefusedException e) {
            throw refuse(e);
        }
        return true;
    }

    /** Refuses a result that stands for unfinished work: rolls the transaction back, even if it is the caller's. */
    private void requireFinished(TransactionStatus transaction, @Nullable Object result) {
        Class<?> unfinished = UnfinishedResults.in(result);
        if (unfinished != null) {
            RuntimeException refusal = new IllegalStateException(
                    settings.declaredBy() + ": has returned a "
                            + unfinished.getName()
                            + ", which is work still to be done, so its transaction would end before that"
                            + " work. The transaction is rolled back. Return the result itself; virtual threads make waiting cheap.");
            rollback(transaction, refusal);
            throw refusal;
        }
    }

    /** Runs the work. If it throws, a transaction that this call began is rolled back; the caller's transaction decides by itself. */
    private <T extends @Nullable Object, E extends Throwable> T run(
            TransactionStatus transaction, IdempotentScope.Work<T, E> work) throws E {
        GuardedCall outer = CURRENT.get();
        try {
            CURRENT.set(this);
            try {
                return transaction.isNewTransaction()
                        ? CurrentStatus.run(transaction, settings.declaredBy(), work)
                        : work.run();
            } finally {
                CURRENT.set(outer); // also null: the next set() after a remove() would create a new entry
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
            database.manager.rollback(transaction);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** Returns the refusal if the connection is missing or broken, or fbf's tables cannot be used; null for other failures. */
    @Override
    protected @Nullable Refusal unavailability(Throwable failure, @Nullable CallTransaction entered) {
        boolean isUnreachable = failure instanceof CannotCreateTransactionException
                || (entered instanceof GuardedTransaction transaction
                        && transaction.isBroken()
                        && GuardedDatabase.isIn(failure));
        return isUnreachable ? Refusal.UNREACHABLE : database.unrecordability(failure);
    }
}
