package dev.fbf.spring.jdbc;

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
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Refuses a transactional method below a guarded call whose definition asks for more than the transaction that it joins. */
final class JoiningInterceptor implements MethodInterceptor {

    private final BeanFactory beans;
    private final TransactionAttributeSource declared;

    public JoiningInterceptor(BeanFactory beans, TransactionAttributeSource declared) {
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
                        joining, "@Transactional on " + ClassUtils.getQualifiedMethodName(call.getMethod(), target));
            }
        }
        return call.proceed();
    }

    private static void requireCovered(TransactionDefinition joining, String name) {
        OwnTransaction own = OwnTransaction.current();
        if (own != null) {
            own.requireCovers(joining, name);
        }
    }

    private static boolean joins(TransactionDefinition definition) {
        int propagation = definition.getPropagationBehavior();
        return OwnTransaction.asksForMore(definition)
                && propagation != TransactionDefinition.PROPAGATION_REQUIRES_NEW
                && propagation != TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
    }

    /** Whether a definition is for the manager that has begun the transaction. */
    private boolean isOf(GuardedCall guarded, TransactionAttribute definition) {
        String qualifier = definition.getQualifier();
        try {
            TransactionManager manager = StringUtils.hasText(qualifier)
                    ? BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, TransactionManager.class, qualifier)
                    : beans.getBean(TransactionManager.class);
            return manager == guarded.database().manager();
        } catch (BeansException e) {
            return false; // the transaction's own interceptor says so
        }
    }
}
