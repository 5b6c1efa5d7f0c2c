package dev.fbf.spring.jdbc;

import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.operation.OperationSettings;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Post-processor whose advice calls annotated methods without checking their key, in the same kind of transaction as with the guard. */
final class UnguardedCalls extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    /**
     * @param transactions called for each method call and not earlier, because infrastructure beans must not request other beans early
     */
    @SuppressWarnings("NullAway") // null only if the method returns null
    UnguardedCalls(Supplier<PlainTransactions> transactions) {
        MethodInterceptor interceptor = call -> {
            Class<?> type = Objects.requireNonNull(call.getThis()).getClass();
            Method method = AopUtils.getMostSpecificMethod(call.getMethod(), type);
            return transactions.get().call(settings(method), call::proceed);
        };
        advisor = new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(null, IdempotentIncrement.class, true), interceptor);
        setProxyTargetClass(true);
    }

    private static OperationSettings settings(Method method) {
        IdempotentIncrement annotation =
                Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, IdempotentIncrement.class));
        return new OperationSettings(
                "@IdempotentIncrement on " + method.toGenericString(),
                annotation.scope(),
                annotation.transactionManager(),
                Duration.ZERO,
                false,
                false);
    }
}
