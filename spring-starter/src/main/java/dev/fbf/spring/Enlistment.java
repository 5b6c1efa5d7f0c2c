package dev.fbf.spring;

import dev.fbf.core.guard.Claim;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Ties a claim to a transaction: the transaction's outcome is the operation's. */
final class Enlistment implements TransactionSynchronization {

    private final Claim claim;

    private boolean enlisted;
    private boolean commitBegun;

    Enlistment(Claim claim) {
        this.claim = claim;
    }

    /** Ties the claim to the transaction of this thread, which must be able to write. */
    void enlist() {
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "@IdempotentIncrement cannot take part in a read-only transaction: it would record nothing");
        }
        TransactionSynchronizationManager.registerSynchronization(this);
        enlisted = true;
    }

    /** Frees the claim if no transaction took it: then nothing was done. */
    void freeUnlessEnlisted() {
        if (!enlisted) {
            claim.rolledBack();
        }
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        commitBegun = true;
    }

    @Override
    public void afterCompletion(int status) {
        if (status == STATUS_COMMITTED) {
            claim.applied();
        } else if (status == STATUS_ROLLED_BACK || !commitBegun) {
            // a transaction that was never asked to commit did not, even if its ROLLBACK got no answer
            claim.rolledBack();
        } else {
            claim.inDoubt();
        }
    }
}
