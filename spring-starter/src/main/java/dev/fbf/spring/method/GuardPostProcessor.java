package dev.fbf.spring.method;

import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.declaration.GuardedMethods;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;

/** Puts an interceptor round the annotated methods of every bean: before all other advice, or behind it. */
final class GuardPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    private final transient GuardedMethods methods;
    private final transient Set<String> guardedBeans = ConcurrentHashMap.newKeySet();

    GuardPostProcessor(GuardedMethods methods, MethodInterceptor interceptor, boolean first) {
        this.methods = methods;
        this.advisor = new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(null, IdempotentIncrement.class, true), interceptor);
        setBeforeExistingAdvisors(first);
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
            if (beforeExistingAdvisors && !advised.isFrozen()) {
                letOthersGoFirst(advised);
            }
        }
        return guarded;
    }

    /** Whether a bean was guarded; others may have put something round it since. */
    boolean hasGuarded(String beanName) {
        return guardedBeans.contains(beanName);
    }

    /**
     * A replay is for those only who may call the method: what security does with a result stays within the guard. Asynchronous
     * advice returns before the work is done: the thread that does it takes the claim.
     */
    private void letOthersGoFirst(Advised advised) {
        Advisor[] advisors = advised.getAdvisors();
        int last = advisors.length - 1;
        while (last >= 0 && !goesFirst(advisors[last].getAdvice())) {
            last--;
        }
        Advisor own = Objects.requireNonNull(advisor);
        int position = advised.indexOf(own);
        if (position >= 0 && position < last) {
            advised.removeAdvisor(own);
            advised.addAdvisor(last, own);
        }
    }

    private static boolean goesFirst(Advice advice) {
        return advice instanceof AsyncExecutionInterceptor || decidesBeforeTheCall(advice);
    }

    private static boolean decidesBeforeTheCall(Advice advice) {
        String name = advice.getClass().getName();
        return name.startsWith("org.springframework.security.")
                && Stream.of("AfterMethodInterceptor", "PostFilter", "ReturnObject", "SecuredObject")
                        .noneMatch(name::contains);
    }
}
