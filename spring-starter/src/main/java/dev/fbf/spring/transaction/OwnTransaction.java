package dev.fbf.spring.transaction;

import dev.fbf.spring.declaration.OperationSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
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

    /** How the transaction of a call begins, if it comes in none. */
    static TransactionDefinition definition(OperationSettings settings) {
        DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
        definition.setIsolationLevel(settings.ownTransaction().isolation());
        definition.setTimeout(settings.ownTransaction().timeout());
        return definition;
    }

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
                    + ", which has begun without it, so that it would be ignored. Set isolation or timeout there too.");
        }
    }

    /** Checks the settings of a call that joins a transaction which others may have begun. */
    static void requireCovers(OperationSettings joining) {
        TransactionDefinition definition = definition(joining);
        if (!asksForMore(definition)) {
            return;
        }
        OwnTransaction own = current();
        if (own != null) {
            own.requireCovers(definition, joining.declaredBy());
        } else if (definition.getTimeout() != TransactionDefinition.TIMEOUT_DEFAULT
                || !isIsolated(definition.getIsolationLevel())) {
            throw new IllegalStateException(
                    joining.declaredBy() + " sets isolation or timeout, and joins its caller's transaction,"
                            + " which has begun without it, so that it would be ignored. Set it on the caller's transaction, or call this"
                            + " method outside of it.");
        }
    }

    private @Nullable String lacking(TransactionDefinition joining) {
        if (!isIsolated(joining.getIsolationLevel())) {
            return "an isolation level of its own";
        }
        int timeout = joining.getTimeout();
        int own = settings.ownTransaction().timeout();
        return timeout != TransactionDefinition.TIMEOUT_DEFAULT
                        && (own == TransactionDefinition.TIMEOUT_DEFAULT || own > timeout)
                ? "timeout=" + timeout
                : null;
    }

    /** No database's default is weaker than READ COMMITTED; the numbers of stricter levels are larger. */
    private static boolean isIsolated(int level) {
        Integer begun = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        return level <= (begun == null ? TransactionDefinition.ISOLATION_READ_COMMITTED : begun);
    }
}
