package dev.fbf.spring.jdbc;

import dev.fbf.spring.operation.OperationSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction that a guarded call has begun. Spring ignores the isolation and the timeout of a definition that joins it; they are
 * refused here where they ask for more than it has.
 *
 * <p>A read-only definition may join: its reads see what the transaction sees, and nothing is lost.
 *
 * @param settings of the call
 */
record OwnTransaction(OperationSettings settings) implements TransactionSynchronization {

    /** Notes that the transaction of this thread was begun for a call. */
    static void begun(OperationSettings settings) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new OwnTransaction(settings));
        }
    }

    /** The transaction of this thread; null if another has begun it, or if it has none. */
    static @Nullable OwnTransaction current() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                ? TransactionSynchronizationManager.getSynchronizations().stream()
                        .filter(OwnTransaction.class::isInstance)
                        .map(OwnTransaction.class::cast)
                        .findFirst()
                        .orElse(null)
                : null;
    }

    static boolean asksForMore(TransactionDefinition joining) {
        return joining.getIsolationLevel() != TransactionDefinition.ISOLATION_DEFAULT
                || joining.getTimeout() != TransactionDefinition.TIMEOUT_DEFAULT;
    }

    /**
     * Checks a definition that joins this transaction.
     *
     * @param name of what has it
     */
    void requireCovers(TransactionDefinition joining, String name) {
        String lacking = lacking(joining);
        if (lacking != null) {
            throw new IllegalStateException(name + " asks for " + lacking + ", and joins the transaction of "
                    + settings.declaredBy()
                    + ", which has begun without it, so that it would be ignored. Set isolation and timeout there, with @Transactional;"
                    + " a program begins a transaction with them around its operation.");
        }
    }

    private static @Nullable String lacking(TransactionDefinition joining) {
        if (!isIsolated(joining.getIsolationLevel())) {
            return "an isolation level of its own";
        }
        int timeout = joining.getTimeout();
        return timeout == TransactionDefinition.TIMEOUT_DEFAULT ? null : "timeout=" + timeout;
    }

    /** No database's default is weaker than READ COMMITTED; the numbers of stricter levels are larger. */
    private static boolean isIsolated(int level) {
        Integer begun = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        return level <= (begun == null ? TransactionDefinition.ISOLATION_READ_COMMITTED : begun);
    }
}
