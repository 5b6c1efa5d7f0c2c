package dev.fbf.spring.test;

import dev.fbf.core.claim.Claim;
import dev.fbf.db.OperationTransaction;
import dev.fbf.spring.operation.CallTransaction;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Identity of a transaction of this thread, for any manager. */
final class InMemoryTransaction implements CallTransaction, TransactionSynchronization {

    private InMemoryTransaction() {}

    /** Returns the open transaction of this thread; null if there is none. */
    static @Nullable InMemoryTransaction current() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return null;
        }
        return TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(InMemoryTransaction.class::isInstance)
                .map(InMemoryTransaction.class::cast)
                .findFirst()
                .orElseGet(InMemoryTransaction::begin);
    }

    @Override
    public void returned(Claim claim) {
        ((InMemoryOperation) claim).returned();
    }

    @Override
    public OperationTransaction.State state(Claim claim) {
        return ((InMemoryOperation) claim).state();
    }

    @Override
    public boolean isCompleted() {
        return false;
    }

    private static InMemoryTransaction begin() {
        InMemoryTransaction named = new InMemoryTransaction();
        TransactionSynchronizationManager.registerSynchronization(named);
        return named;
    }
}
