package dev.fbf.spring.method;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;

/** Post-processor that adds an interceptor to the annotated methods of every bean. */
final class GuardPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    private final transient GuardedMethods methods;
    private final transient AdviceOrder order;
    private final transient Set<String> guardedBeans = ConcurrentHashMap.newKeySet();

    GuardPostProcessor(GuardedMethods methods, AdviceOrder order, MethodInterceptor interceptor) {
        this.methods = methods;
        this.order = order;
        advisor = new DefaultPointcutAdvisor(AdviceOrder.ANNOTATED, interceptor);
        setProxyTargetClass(true);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean || !methods.register(GuardedMethods.typeOf(bean))) {
            return bean;
        }
        Object guarded = super.postProcessAfterInitialization(bean, beanName);
        if (guarded instanceof Advised advised && advised.indexOf(Objects.requireNonNull(advisor)) >= 0) {
            guardedBeans.add(beanName);
            order.arrange(advised);
        }
        return guarded;
    }

    /** Returns whether a bean was guarded. Other post-processors may have wrapped it since. */
    boolean hasGuarded(String beanName) {
        return guardedBeans.contains(beanName);
    }
}
