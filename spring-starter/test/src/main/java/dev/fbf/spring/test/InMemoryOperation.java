package dev.fbf.spring.test;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.db.OperationTransaction;
import dev.fbf.spring.operation.Operation;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Claim of an operation, from its admission until the operation is applied, or new again. Changed by its thread only. */
final class InMemoryOperation implements Claim {

    /*
     * CLAIMED -> ENTERED -> RETURNED -> APPLIED
     * CLAIMED, ENTERED or RETURNED -> NEW          if the work is not called, or its transaction rolls back, also to a savepoint
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
    private final Operation operation;
    private final Duration retryWindow;
    private final Thread thread = Thread.currentThread();

    private volatile State state = State.CLAIMED;
    private volatile @Nullable Outcome outcome;
    private volatile @Nullable InMemoryTransaction transaction;

    InMemoryOperation(InMemoryOperations all, Operation operation, Duration retryWindow) {
        this.all = all;
        this.operation = operation;
        this.retryWindow = retryWindow;
    }

    /** Enters the operation in a transaction of this thread. */
    void enter(InMemoryTransaction current) {
        state = State.ENTERED;
        outcome = new Outcome();
        transaction = current;
        TransactionSynchronizationManager.registerSynchronization(outcome);
    }

    void returned() {
        state = State.RETURNED;
    }

    OperationTransaction.State state() {
        return switch (state) {
            case CLAIMED, ENTERED, RETURNED -> OperationTransaction.State.OPEN;
            case APPLIED -> OperationTransaction.State.COMMITTED;
            case NEW -> OperationTransaction.State.ROLLED_BACK;
        };
    }

    /**
     * Synchronization that passes the transaction's outcome to the operation, unless a rollback to an earlier savepoint has undone the
     * operation.
     */
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
                free();
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
                free();
            }
        }
    }

    @Override
    public void applied() {
        state = State.APPLIED;
    }

    @Override
    public void free() {
        state = State.NEW;
        all.remove(this);
    }

    /** Returns whether it is applied, or will be if this thread's current transaction commits. */
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

    /** Returns whether it is part of a transaction of this thread. */
    boolean isIn(@Nullable InMemoryTransaction current) {
        return current != null && current == transaction && isHeldByThisThread();
    }

    /** Returns whether its request has this fingerprint; true if that is not known. */
    boolean isOfSameRequest(@Nullable Long fingerprint) {
        return fingerprint == null || operation.fingerprint() == null || fingerprint.equals(operation.fingerprint());
    }

    @Override
    public OperationId id() {
        return operation.id();
    }

    @Override
    public Duration retryWindow() {
        return retryWindow;
    }

    @Override
    public boolean isHeld() {
        return state == State.CLAIMED;
    }
}
