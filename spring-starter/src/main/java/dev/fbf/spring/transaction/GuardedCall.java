package dev.fbf.spring.transaction;

import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.db.OperationTransaction;
import dev.fbf.db.OperationTransaction.LostWork;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.group.GroupedIncrement;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.UnfinishedResults;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;

/** Call whose work runs in the transaction of this thread, or in a new one, and whose operations, if any, are entered there. */
final class GuardedCall extends Execution {

    private static final ThreadLocal<@Nullable GuardedCall> CURRENT = new ThreadLocal<>();

    private final SqlOperationGuard guard;
    private final GuardedDatabase database;
    private final OperationSettings settings;

    /** Whether the call is an increment whose group has failed. */
    private boolean isAlone;

    GuardedCall(SqlOperationGuard guard, OperationSettings settings, List<Claimed> claimed) {
        super(settings.scope(), claimed, guard.database.transactions.current(), guard.settleTimeout);
        this.guard = guard;
        this.settings = settings;
        database = guard.database;
    }

    /** Returns the innermost guarded call whose work this thread is executing; null if there is none. */
    static @Nullable GuardedCall current() {
        return CURRENT.get();
    }

    GuardedDatabase database() {
        return database;
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> @Nullable T call(IdempotentScope.Work<T, E> work)
            throws E {
        List<Claimed> operations = claimed();
        TransactionStatus transaction = database.manager.getTransaction(TransactionDefinition.withDefaults());
        GuardedTransaction current = database.transactions.current();
        if (current != null && !transaction.isNewTransaction()) {
            requireOpen(current, transaction);
            current.requireRoom(settings.scope(), operations.size()); // it can continue without them
        }
        if (!operations.isEmpty() && !enter(operations, transaction, current)) {
            return null;
        }
        T result = run(transaction, work);
        Class<?> unfinished = UnfinishedResults.in(result);
        if (unfinished != null) {
            throw refuseUnfinished(transaction, unfinished);
        }
        returned(result);
        if (transaction.isNewTransaction()) {
            database.manager.commit(transaction);
        }
        return result;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a manager is a bean
    public boolean isManagedBy(TransactionManager manager) {
        return manager == database.manager;
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
     * Enters the operations in the transaction; returns whether to call the work. After an exception the transaction can only roll back,
     * even if it is the caller's.
     */
    private boolean enter(
            List<Claimed> operations, TransactionStatus status, @Nullable GuardedTransaction transaction) {
        try {
            if (transaction == null) {
                throw database.noTransaction();
            }
            LostWork lost = transaction == caller
                    ? LostWork.CALLERS
                    : settings.sqlOnly() ? LostWork.CALL_WITHOUT_TRACE : LostWork.CALL;
            Map<Claim, Refusal> refused = ask(operations, transaction, lost);
            List<Claimed> entered = new ArrayList<>(operations);
            Refusal refusal = refused.isEmpty() ? null : refusal(refused, entered);
            if (refusal == null) {
                entered(entered, transaction);
                requireNotForgotten(entered);
                return true;
            }
            notEntered(entered, transaction);
            boolean isDecidedLater = refusal == Refusal.IN_PROGRESS || refusal == Refusal.CONFLICT;
            if (!isDecidedLater || lost == LostWork.CALLERS) {
                refuse(refusal);
            }
            if (status.isNewTransaction() || !entered.isEmpty()) {
                database.manager.rollback(status);
                decideEntry(); // the ledger is asked
            }
            return false;
        } catch (Throwable thrown) {
            rollback(status, thrown);
            throw thrown;
        }
    }

    /** Returns the refusals of the operations that the transaction has not entered. */
    private Map<Claim, Refusal> ask(List<Claimed> operations, GuardedTransaction transaction, LostWork lost) {
        List<Claim> claims = new ArrayList<>(operations.size());
        for (Claimed its : operations) {
            claims.add(its.claim());
        }
        try {
            return transaction.enter(claims, database.currentConnection(), lost);
        } catch (SQLException e) {
            notEntered(List.of(), transaction);
            throw GuardedDatabase.translate("make an operation part of a transaction", e);
        }
    }

    /**
     * Returns the reason not to call the work; null if some operations are new, and all others were applied before.
     *
     * @param operations those of the call, of which the refused ones are removed
     */
    private static @Nullable Refusal refusal(Map<Claim, Refusal> refused, List<Claimed> operations) {
        operations.removeIf(its -> refused.containsKey(its.claim()));
        return refused.values().stream()
                .filter(refusal -> refusal != Refusal.APPLIED)
                .findFirst()
                .orElse(operations.isEmpty() ? Refusal.APPLIED : null);
    }

    /** Checks the keys once more, because entering may have taken long. */
    private void requireNotForgotten(List<Claimed> entered) {
        try {
            for (Claimed its : entered) {
                guard.requireNotForgotten(its.operation());
            }
        } catch (OperationRefusedException e) {
            throw refuse(e);
        }
    }

    /**
     * Applies the operation by an increment that is committed in a group with those of other callers or, if the group fails, alone.
     *
     * @param timeout as for {@link Counters#apply}
     * @return the counter's new value; null if there is a {@link #refusal()}
     */
    @Nullable Long add(Counters counters, String counter, long delta, Duration timeout) {
        Claimed its = claimed().get(0);
        GroupedIncrement increment = counters.apply(its.claim(), counter, delta, timeout);
        if (increment == null) {
            entered(List.of(its), null); // the group ends the claim
            throw refuse(Refusals.of(Refusal.IN_DOUBT, scope(), null));
        }
        if (increment.goesAlone()) {
            return addAlone(counters, increment, timeout);
        }
        Long value = increment.value();
        if (value == null) {
            refuse(increment);
        } else {
            entered(List.of(its), null);
        }
        return value;
    }

    /** Adds in a transaction of its own, whose failure is the increment's own. */
    private @Nullable Long addAlone(Counters counters, GroupedIncrement increment, Duration timeout) {
        if (!counters.awaitTurn(increment, timeout)) {
            refuse(Refusal.TIMEOUT);
            return null;
        }
        isAlone = true;
        boolean succeeded = false;
        try {
            Long value = call(() -> database.inConnection(
                    "add to a counter", connection -> counters.add(connection, increment, timeout)));
            succeeded = true;
            return value;
        } finally {
            counters.endTurn(increment, succeeded);
        }
    }

    /** Refuses an increment that has no value, or throws the reason. */
    private void refuse(GroupedIncrement increment) {
        Throwable reason = increment.reason();
        Refusal why = increment.refusal() == Refusal.IN_DOUBT ? guard.awaitSettled(increment) : increment.refusal();
        if (why == null) {
            RuntimeException failure = database.undecided(scope(), failure(reason));
            throw failure instanceof OperationRefusedException refusal ? refuse(refusal) : failure;
        }
        if (reason != null) {
            throw refuse(Refusals.of(why, scope(), reason));
        }
        refuse(why);
    }

    private RuntimeException failure(@Nullable Throwable reason) {
        if (reason instanceof SQLException e) {
            return SqlFailures.isOfData(e)
                    ? GuardedDatabase.translate("add to a counter", e)
                    : database.store().failed(e);
        }
        return reason instanceof RuntimeException e ? e : new IllegalStateException(reason);
    }

    /** Refuses a result that stands for unfinished work: rolls the transaction back, even if it is the caller's. */
    private RuntimeException refuseUnfinished(TransactionStatus transaction, Class<?> unfinished) {
        RuntimeException refusal = new IllegalStateException(
                settings.declaredBy() + ": has returned a "
                        + unfinished.getName()
                        + ", which is work still to be done, so its transaction would end before that"
                        + " work. The transaction is rolled back. Return the result itself; virtual threads make waiting cheap.");
        rollback(transaction, refusal);
        return refusal;
    }

    /** Runs the work. If it throws, a transaction that this call began is rolled back; the caller's transaction decides by itself. */
    private <T extends @Nullable Object, E extends Throwable> T run(
            TransactionStatus transaction, IdempotentScope.Work<T, E> work) throws E {
        GuardedCall outer = CURRENT.get();
        try {
            CURRENT.set(this);
            try {
                return transaction.isNewTransaction()
                        ? CurrentStatus.run(transaction, settings.scope(), work)
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

    /**
     * Returns the refusal if the connection is missing or broken, fbf's tables cannot be used, the database is read-only, or another transaction
     * was in the way of an increment alone; null for other failures.
     */
    @Override
    protected @Nullable Refusal unavailability(Throwable failure, @Nullable OperationTransaction entered) {
        boolean isUnreachable = failure instanceof CannotCreateTransactionException
                || (entered instanceof GuardedTransaction transaction
                        && transaction.isBroken()
                        && GuardedDatabase.isIn(failure));
        if (isUnreachable) {
            database.reachability.wake();
            return Refusal.UNREACHABLE;
        }
        SQLException reason = SqlFailures.in(failure);
        if (isAlone && reason != null && (SqlFailures.isOfOthers(reason) || SqlFailures.isOfTime(reason))) {
            return Refusal.CONFLICT;
        }
        return reason != null && SqlFailures.READ_ONLY.equals(reason.getSQLState())
                ? Refusal.UNRECORDABLE
                : database.unrecordability(failure);
    }
}
