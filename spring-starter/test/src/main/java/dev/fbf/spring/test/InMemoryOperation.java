package dev.fbf.spring.test;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.operation.AdmittedOperation;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** An operation with its claim, from its admission until it is applied, or new again. Its thread alone changes it. */
final class InMemoryOperation implements Claim, AdmittedOperation {

    /*
     * CLAIMED -> ENTERED -> RETURNED -> APPLIED
     * CLAIMED, ENTERED or RETURNED -> NEW          if the work is not called, or its transaction rolls back
     * NEW -> ENTERED                               advice around the work tries again
     * ENTERED -> APPLIED                           the work has thrown, and its caller's transaction commits
     */
    private enum State {
        CLAIMED,
        ENTERED,
        RETURNED,
        APPLIED,
        NEW
    }

    private final InMemoryOperations all;
    private final InMemoryCalls calls;
    private final OperationSettings settings;
    private final Operation operation;
    private final Duration retryWindow;
    private final Thread thread = Thread.currentThread();

    private volatile State state = State.CLAIMED;
    private volatile @Nullable Outcome outcome;
    private @Nullable Object result;
    private volatile @Nullable InMemoryTransaction transaction;

    InMemoryOperation(
            InMemoryOperations all,
            InMemoryCalls calls,
            OperationSettings settings,
            Operation operation,
            Duration retryWindow) {
        this.all = all;
        this.calls = calls;
        this.settings = settings;
        this.operation = operation;
        this.retryWindow = retryWindow;
    }

    @Override
    public <T, E extends Throwable> @Nullable Refusal apply(OperationObservationContext observed, Attempt<T, E> attempt)
            throws E {
        try {
            result = attempt.apply(this);
            return null;
        } finally {
            if (state == State.CLAIMED) {
                rolledBack(); // advice has not called the method
            }
        }
    }

    @Override
    public <T, E extends Throwable> @Nullable T call(Work<T, E> work) throws E {
        return calls.call(settings, () -> {
            enter();
            T returned = work.run();
            state = State.RETURNED;
            return returned;
        });
    }

    private void enter() {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "@IdempotentIncrement cannot take part in a read-only transaction: it would record nothing");
        }
        if (state == State.NEW && all.addIfNew(this) != null) {
            throw Refusals.inProgress(settings.scope());
        }
        state = State.ENTERED;
        outcome = new Outcome();
        transaction = InMemoryTransaction.current();
        TransactionSynchronizationManager.registerSynchronization(outcome);
    }

    /** The outcome of the transaction is that of the operation, unless a savepoint before it is gone back to. */
    private final class Outcome implements TransactionSynchronization {

        private final Set<Object> later = new HashSet<>();
        private boolean undone;

        @Override
        public void savepoint(Object savepoint) {
            later.add(savepoint);
        }

        @Override
        public void savepointRollback(Object savepoint) {
            if (!undone && !later.contains(savepoint)) {
                undone = true;
                rolledBack();
            }
        }

        @Override
        public void afterCompletion(int status) {
            if (undone) {
                return;
            }
            if (status == STATUS_COMMITTED) {
                applied();
            } else {
                rolledBack();
            }
        }
    }

    @Override
    public void applied() {
        state = State.APPLIED;
    }

    @Override
    public void rolledBack() {
        state = State.NEW;
        all.remove(this);
    }

    /** Whether it is applied, or will be if the current transaction of this thread commits. */
    boolean isDuplicate() {
        return state == State.APPLIED
                || (state == State.RETURNED
                        && TransactionSynchronizationManager.isSynchronizationActive()
                        && TransactionSynchronizationManager.getSynchronizations()
                                .contains(outcome));
    }

    boolean isHeldByThisThread() {
        return thread == Thread.currentThread() && (state == State.ENTERED || state == State.RETURNED);
    }

    /** Whether it is part of a transaction of this thread. */
    boolean isIn(@Nullable InMemoryTransaction current) {
        return current != null && current == transaction && isHeldByThisThread();
    }

    @Override
    public @Nullable Object transaction() {
        return transaction;
    }

    /** Whether its request is the same as that of another one, as far as can be told. */
    boolean isOfSameRequest(@Nullable Long fingerprint) {
        return fingerprint == null || operation.fingerprint() == null || fingerprint.equals(operation.fingerprint());
    }

    @Override
    public boolean isRolledBack() {
        return state == State.NEW;
    }

    @Override
    public boolean followsCaller() {
        return state == State.ENTERED || state == State.RETURNED;
    }

    @Override
    public @Nullable Refusal settle(Throwable failure) {
        return null;
    }

    @Override
    public @Nullable Object result() {
        return result;
    }

    @Override
    public String scope() {
        return settings.scope();
    }

    @Override
    public OperationId id() {
        return operation.id();
    }

    @Override
    public Duration retryWindow() {
        return retryWindow;
    }

    /** Its fingerprint has that. */
    @Override
    public void requestedBy(OperationId request) {}

    @Override
    public boolean isHeld() {
        return state == State.CLAIMED;
    }
}
