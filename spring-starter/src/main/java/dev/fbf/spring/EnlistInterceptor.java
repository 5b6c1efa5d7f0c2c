package dev.fbf.spring;

import java.util.Objects;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Inside of every other advice: runs the method in the transaction it finds, or in one of its own. */
final class EnlistInterceptor implements MethodInterceptor {

    private final Supplier<PlatformTransactionManager> transactions;

    EnlistInterceptor(Supplier<PlatformTransactionManager> transactions) {
        this.transactions = transactions;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Enlistment enlistment = Objects.requireNonNull(
                (Enlistment) ((ProxyMethodInvocation) call).getUserAttribute(Enlistment.class.getName()));
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            enlistment.enlist();
            return call.proceed();
        }
        return inOwnTransaction(enlistment, call);
    }

    /** Rolls back whatever the method throws: an exception means that the operation was not applied. */
    private @Nullable Object inOwnTransaction(Enlistment enlistment, MethodInvocation call) throws Throwable {
        PlatformTransactionManager manager = transactions.get();
        TransactionStatus transaction = manager.getTransaction(new DefaultTransactionDefinition());
        Object result;
        try {
            enlistment.enlist();
            result = call.proceed();
        } catch (Throwable thrown) {
            rollback(manager, transaction, thrown);
            throw thrown;
        }
        manager.commit(transaction);
        return result;
    }

    private static void rollback(PlatformTransactionManager manager, TransactionStatus transaction, Throwable cause) {
        try {
            manager.rollback(transaction);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
