package dev.fbf.spring;

import org.aopalliance.intercept.MethodInterceptor;
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
        if (!(bean instanceof AopInfrastructureBean)) {
            methods.register(AopUtils.getTargetClass(bean));
        }
        return super.postProcessAfterInitialization(bean, beanName);
    }
}
