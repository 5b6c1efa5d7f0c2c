package dev.fbf.spring;

import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Inside of every other advice: runs the method in the transaction it finds, or in one of its own, and makes the
 * operation part of it first, unless the call is unguarded.
 */
final class EnlistInterceptor implements MethodInterceptor {

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Enlistment enlistment = attribute(call, Enlistment.class);
        if (enlistment != null && enlistment.needsNoTransaction()) {
            return new GuardedCall(enlistment).run(call::proceed);
        }
        PlatformTransactionManager manager = enlistment == null
                ? Objects.requireNonNull(attribute(call, PlatformTransactionManager.class))
                : enlistment.manager();
        LazyConnectionHolder lazy = enlistment == null ? null : enlistment.bindLazyConnection();
        try {
            return invoke(call, enlistment, manager);
        } finally {
            if (lazy != null) {
                lazy.close();
            }
        }
    }

    private static @Nullable Object invoke(
            MethodInvocation call, @Nullable Enlistment enlistment, PlatformTransactionManager manager)
            throws Throwable {
        TransactionStatus transaction = manager.getTransaction(new DefaultTransactionDefinition());
        boolean own = transaction.isNewTransaction();
        if (enlistment != null) {
            if (own) {
                enlistment.inOwnTransaction();
            } else {
                enlistment.requireRoom();
            }
        }
        if (enlistment != null && !enter(enlistment, manager, transaction)) {
            // who called the interceptor before this one sees why
            return null;
        }
        Object result;
        try {
            result = new GuardedCall(enlistment).run(call::proceed);
        } catch (Throwable thrown) {
            if (own) {
                // whatever the method throws: an exception means that the operation was not applied
                rollback(manager, transaction, thrown);
            }
            throw thrown;
        }
        if (enlistment != null) {
            enlistment.returned(result);
        }
        if (own) {
            manager.commit(transaction);
        }
        return result;
    }

    /** What {@link ClaimInterceptor} has left for this one. */
    private static <T> @Nullable T attribute(MethodInvocation call, Class<T> type) {
        return type.cast(((ProxyMethodInvocation) call).getUserAttribute(type.getName()));
    }

    /** A transaction in which that fails can only roll back, whoever began it. */
    private static boolean enter(
            Enlistment enlistment, PlatformTransactionManager manager, TransactionStatus transaction) {
        boolean entered;
        try {
            entered = enlistment.enter();
        } catch (Throwable thrown) {
            rollback(manager, transaction, thrown);
            throw thrown;
        }
        if (!entered && (transaction.isNewTransaction() || enlistment.spoiltTransaction())) {
            manager.rollback(transaction);
        }
        return entered;
    }

    private static void rollback(PlatformTransactionManager manager, TransactionStatus transaction, Throwable cause) {
        try {
            manager.rollback(transaction);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }
}
