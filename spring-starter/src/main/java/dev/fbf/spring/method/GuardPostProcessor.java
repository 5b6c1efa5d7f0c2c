package dev.fbf.spring.method;

import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.declaration.GuardedMethods;
import java.util.Objects;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;

/** Puts an interceptor round the annotated methods of every bean: before all other advice, or behind it. */
final class GuardPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    private final transient GuardedMethods methods;

    GuardPostProcessor(GuardedMethods methods, MethodInterceptor interceptor, boolean first) {
        this.methods = methods;
        this.advisor = new DefaultPointcutAdvisor(
                new AnnotationMatchingPointcut(null, IdempotentIncrement.class, true), interceptor);
        setBeforeExistingAdvisors(first);
        setProxyTargetClass(true);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean || !methods.register(AopUtils.getTargetClass(bean))) {
            return bean;
        }
        Object guarded = super.postProcessAfterInitialization(bean, beanName);
        if (beforeExistingAdvisors && guarded instanceof Advised advised && !advised.isFrozen()) {
            letSecurityDecideFirst(advised);
        }
        return guarded;
    }

    /** A replay is for those only who may call the method. What security does with a result stays within the guard. */
    private void letSecurityDecideFirst(Advised advised) {
        Advisor[] advisors = advised.getAdvisors();
        int last = advisors.length - 1;
        while (last >= 0 && !decidesBeforeTheCall(advisors[last].getAdvice())) {
            last--;
        }
        Advisor own = Objects.requireNonNull(advisor);
        int position = advised.indexOf(own);
        if (position >= 0 && position < last) {
            advised.removeAdvisor(own);
            advised.addAdvisor(last, own);
        }
    }

    private static boolean decidesBeforeTheCall(Advice advice) {
        String name = advice.getClass().getName();
        return name.startsWith("org.springframework.security.")
                && Stream.of("AfterMethodInterceptor", "PostFilter", "ReturnObject", "SecuredObject")
                        .noneMatch(name::contains);
    }
}
