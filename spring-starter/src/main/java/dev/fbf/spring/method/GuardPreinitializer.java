package dev.fbf.spring.method;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.RecentOperations;
import dev.fbf.spring.IdempotentIncrement;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * Preinitializer that loads the classes of proxies and of off-heap memory in a second thread while Spring Boot starts in the first one.
 * Only shortens the start.
 */
final class GuardPreinitializer implements BackgroundPreinitializer {

    @Override
    public void preinitialize() {
        ProxyFactory proxies = new ProxyFactory(new Sample());
        proxies.setProxyTargetClass(true);
        proxies.addAdvisor(new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(null, IdempotentIncrement.class, true),
                (MethodInterceptor) MethodInvocation::proceed));
        ((Sample) proxies.getProxy()).increment();
        new RecentOperations().put(OperationId.of("", "", ""));
    }

    static class Sample {

        @IdempotentIncrement
        void increment() {
            // only the call through the proxy matters
        }
    }
}
