package dev.fbf.spring.jdbc;

import dev.fbf.spring.operation.OperationSettings;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Interceptor that refuses a transactional method if it would join a transaction that a guarded call began, and asks for a stricter
 * isolation level or a timeout: Spring would ignore them.
 *
 * <p>A read-only method may join: its reads see the transaction's changes, and nothing is lost.
 */
final class JoiningInterceptor implements MethodInterceptor {

    private final BeanFactory beans;
    private final TransactionAttributeSource declared;

    JoiningInterceptor(BeanFactory beans, TransactionAttributeSource declared) {
        this.beans = beans;
        this.declared = declared;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        GuardedCall guarded = GuardedCall.current();
        if (guarded != null) {
            Class<?> target = call.getThis() == null ? null : AopUtils.getTargetClass(call.getThis());
            TransactionAttribute joining = declared.getTransactionAttribute(call.getMethod(), target);
            if (joining != null && joins(joining) && isOf(guarded, joining)) {
                requireCovered(
                        guarded.database(),
                        joining,
                        "@Transactional on " + ClassUtils.getQualifiedMethodName(call.getMethod(), target));
            }
        }
        return call.proceed();
    }

    private static boolean joins(TransactionDefinition definition) {
        int propagation = definition.getPropagationBehavior();
        boolean asksForMore = definition.getIsolationLevel() != TransactionDefinition.ISOLATION_DEFAULT
                || definition.getTimeout() != TransactionDefinition.TIMEOUT_DEFAULT;
        return asksForMore
                && propagation != TransactionDefinition.PROPAGATION_REQUIRES_NEW
                && propagation != TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }

    /**
     * Checks a definition that joins this thread's transaction, if a guarded call began that transaction.
     *
     * @param name the definition's name for the message
     */
    private static void requireCovered(GuardedDatabase database, TransactionDefinition joining, String name) {
        GuardedTransaction current = database.openTransaction();
        OperationSettings settings = current == null ? null : current.begunFor;
        String lacking = lacking(joining);
        if (settings != null && lacking != null) {
            throw new IllegalStateException(name + " asks for " + lacking + ", and joins the transaction of "
                    + settings.declaredBy()
                    + ", which has begun without it, so it would be ignored. Set isolation and timeout there with"
                    + " @Transactional, or begin a transaction with them around IdempotentOperations.");
        }
    }

    private static @Nullable String lacking(TransactionDefinition joining) {
        if (!isIsolated(joining.getIsolationLevel())) {
            return "another isolation level";
        }
        int timeout = joining.getTimeout();
        return timeout == TransactionDefinition.TIMEOUT_DEFAULT ? null : "timeout=" + timeout;
    }

    /** Assumes READ COMMITTED as the database's default: no default is weaker. Larger numbers are stricter levels. */
    private static boolean isIsolated(int level) {
        Integer begun = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        return level <= (begun == null ? TransactionDefinition.ISOLATION_READ_COMMITTED : begun);
    }

    /** Returns whether a definition is for the transaction manager of the guarded call. */
    private boolean isOf(GuardedCall guarded, TransactionAttribute definition) {
        String qualifier = definition.getQualifier();
        try {
            TransactionManager manager = StringUtils.hasText(qualifier)
                    ? BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier)
                    : beans.getBean(TransactionManager.class);
            return manager == guarded.database().manager;
        } catch (BeansException e) {
            return false; // the transaction's own interceptor reports it
        }
    }
}
