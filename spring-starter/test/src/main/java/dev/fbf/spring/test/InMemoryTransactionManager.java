package dev.fbf.spring.test;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transaction manager of a context without a database: its transactions only have an outcome. */
final class InMemoryTransactionManager extends AbstractPlatformTransactionManager {

    private static final long serialVersionUID = 1L;

    @Override
    protected Object doGetTransaction() {
        return this;
    }

    @Override
    protected boolean isExistingTransaction(Object transaction) {
        return TransactionSynchronizationManager.hasResource(this);
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        TransactionSynchronizationManager.bindResource(this, this);
    }

    @Override
    protected Object doSuspend(Object transaction) {
        return TransactionSynchronizationManager.unbindResource(this);
    }

    @Override
    protected void doResume(@Nullable Object transaction, Object suspended) {
        TransactionSynchronizationManager.bindResource(this, suspended);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        // no effect: the transaction's synchronizations handle the outcome
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        // no effect: the transaction's synchronizations handle the outcome
    }

    @Override
    protected void doSetRollbackOnly(DefaultTransactionStatus status) {
        status.setRollbackOnly();
    }

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
        TransactionSynchronizationManager.unbindResource(this);
    }
}
