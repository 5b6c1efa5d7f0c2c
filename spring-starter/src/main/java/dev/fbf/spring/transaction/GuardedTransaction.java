package dev.fbf.spring.transaction;

import dev.fbf.db.OperationTransaction;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transaction of this thread, with any operations that follow its outcome. */
final class GuardedTransaction extends OperationTransaction {

    /*
     * Spring calls afterCommit and afterCompletion of synchronizations, and so transactional event listeners, before it notifies the
     * listeners of the transaction itself. In between, the transaction is still bound to its thread, and new writes would be lost
     * or committed without their operation. So operations cannot enter from the beginning of the COMMIT or rollback on.
     */

    final TransactionExecution transaction;
    private final GuardedTransactions all;
    private final Thread thread = Thread.currentThread();

    GuardedTransaction(TransactionExecution transaction, Supplier<Entries> newEntries, GuardedTransactions all) {
        super(newEntries);
        this.transaction = transaction;
        this.all = all;
    }

    @Override
    public boolean isCompleted() {
        return transaction.isCompleted();
    }

    /** Returns whether its end can no longer be reported: the transaction or its thread has ended. */
    boolean isAbandoned() {
        return transaction.isCompleted() || !thread.isAlive();
    }

    /**
     * Checks that the transaction is open.
     *
     * @throws IllegalStateException if it is about to end, or has ended
     */
    void requireOpen(String scope) {
        if (state() != State.OPEN) {
            throw new IllegalStateException("scope=" + scope
                    + ": the transaction of this thread has committed or rolled back, or is about to, so the operation"
                    + " would be lost. It was not applied. A callback that runs after the end of a transaction, such as"
                    + " a @TransactionalEventListener, needs a new transaction: @Transactional(propagation ="
                    + " Propagation.REQUIRES_NEW) on the listener, if it is not guarded itself, or a TransactionTemplate"
                    + " with PROPAGATION_REQUIRES_NEW.");
        }
    }

    /** As {@link GuardedTransactions#requireRoom}, for this transaction. */
    void requireRoom(String scope, int more) {
        all.requireRoom(scope, size(), more);
    }

    @Override
    protected void firstUse() {
        if (transaction.isReadOnly()) {
            throw new IllegalStateException(
                    "An operation cannot be applied in a read-only transaction: nothing would be recorded. Omit readOnly = true.");
        }
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new Synchronization());
        }
        all.withOperations.add(this);
    }

    @Override
    protected void ended() {
        all.withOperations.remove(this);
    }

    /**
     * Observer of rollbacks to savepoints, and of ends that are not reported to listeners: if a TransactionException is thrown right before
     * COMMIT, Spring neither commits nor rolls back.
     */
    private final class Synchronization implements TransactionSynchronization {

        private final Map<Object, Integer> sizes = new HashMap<>();

        @Override
        public void savepoint(Object savepoint) {
            sizes.put(savepoint, size());
        }

        /** Undoes the operations entered after the savepoint; all of them, if the savepoint was created before the first operation. */
        @Override
        public void savepointRollback(Object savepoint) {
            backTo(sizes.getOrDefault(savepoint, 0));
        }

        /** Runs before the other synchronizations: operations that they start find the transaction ended. */
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_UNKNOWN) {
                abandoned();
            }
        }
    }
}
