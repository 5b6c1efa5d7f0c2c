package dev.fbf.spring.test;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Claim;
import dev.fbf.spring.operation.CallContext;
import dev.fbf.spring.operation.Operation;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The claim of an operation, from its admission until the operation is applied, or new again. Its thread alone changes it. */
final class InMemoryOperation implements Claim {

    /*
     * CLAIMED -> ENTERED -> RETURNED -> APPLIED
     * CLAIMED, ENTERED or RETURNED -> NEW          if the work is not called, or its transaction rolls back
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

    /** Makes the operation part of a transaction of this thread. */
    void enter(InMemoryTransaction current) {
        state = State.ENTERED;
        outcome = new Outcome();
        transaction = current;
        TransactionSynchronizationManager.registerSynchronization(outcome);
    }

    void returned() {
        state = State.RETURNED;
    }

    CallContext.End end() {
        return switch (state) {
            case CLAIMED, ENTERED, RETURNED -> CallContext.End.OPEN;
            case APPLIED -> CallContext.End.COMMITTED;
            case NEW -> CallContext.End.ROLLED_BACK;
        };
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

    /** Whether its request is the same as that of another one, as far as can be told. */
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

    /** Its fingerprint has that. */
    @Override
    public void requestedBy(OperationId request) {}

    @Override
    public boolean isHeld() {
        return state == State.CLAIMED;
    }
}
