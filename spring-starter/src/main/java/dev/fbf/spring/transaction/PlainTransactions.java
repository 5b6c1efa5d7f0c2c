package dev.fbf.spring.transaction;

import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.operation.OperationSettings;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

/** Transactions without a witness or ledger, for work without the guard or with operations in memory. Thread-safe. */
public final class PlainTransactions {

    private final ListableBeanFactory beans;
    private final TransactionManagers managers;
    private final @Nullable PlatformTransactionManager substitute;

    /**
     * @param substitute begins transactions in an application without a transaction manager; null for no transactions there
     */
    public PlainTransactions(ListableBeanFactory beans, @Nullable PlatformTransactionManager substitute) {
        this.beans = beans;
        managers = new TransactionManagers(beans);
        this.substitute = substitute;
    }

    /** Runs the work in the transaction of this thread or, if there is a manager, in a new one, as a guarded call does. */
    public <T extends @Nullable Object, E extends Throwable> T call(
            OperationSettings settings, IdempotentScope.Work<T, E> work) throws E {
        PlatformTransactionManager manager = managerOf(settings);
        if (manager == null) {
            return work.run();
        }
        TransactionStatus transaction = manager.getTransaction(TransactionDefinition.withDefaults());
        if (!transaction.isNewTransaction()) {
            return work.run();
        }
        T result;
        try {
            result = CurrentStatus.run(transaction, settings.declaredBy(), work);
        } catch (Throwable thrown) {
            rollback(manager, transaction, thrown);
            throw thrown;
        }
        manager.commit(transaction);
        return result;
    }

    /** Returns the data source of an operation's transactions; null if there is none, or their manager does not know it. */
    public @Nullable DataSource dataSourceOf(OperationSettings settings) {
        PlatformTransactionManager manager = managerOf(settings);
        return manager == null ? null : TransactionManagers.dataSourceOf(manager);
    }

    private @Nullable PlatformTransactionManager managerOf(OperationSettings settings) {
        boolean some =
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, PlatformTransactionManager.class).length > 0;
        return some ? managers.of(settings) : substitute;
    }

    private static void rollback(PlatformTransactionManager manager, TransactionStatus transaction, Throwable cause) {
        try {
            manager.rollback(transaction);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
