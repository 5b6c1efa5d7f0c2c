package dev.fbf.spring.method;

import dev.fbf.spring.IdempotentIncrement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.IntroductionAdvisor;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.MethodMatchers;
import org.springframework.aop.support.StaticMethodMatcher;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.dao.support.PersistenceExceptionTranslationInterceptor;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Post-processor that guards the annotated methods of every bean. It is not ordered, so that Spring calls it after the post-processors that
 * add other advice.
 */
final class GuardPostProcessor implements SmartInstantiationAwareBeanPostProcessor, BeanFactoryAware {

    /*
     * The chain of a guarded method:
     *
     *   advice before the transaction    may refuse the caller, and then also refuses a replay
     *   GuardInterceptor                 a replay needs no transaction
     *     Spring's transaction advice    which GuardInterceptor calls, so that the claim sees its COMMIT
     *       operation's entry
     *   advice after the transaction's   does not run on a replay, and is logged at the start
     *
     * Without transaction advice, GuardInterceptor is the last.
     */
    private static final Logger log = LoggerFactory.getLogger(GuardPostProcessor.class);

    private static final Pointcut ANNOTATED = new AnnotationMatchingPointcut(null, IdempotentIncrement.class, true);

    private final GuardedMethods methods;
    private final GuardInterceptor interceptor;
    private final Proxies proxies;
    private final Set<String> guardedBeans = ConcurrentHashMap.newKeySet();

    GuardPostProcessor(GuardedMethods methods, GuardInterceptor interceptor) {
        this.methods = methods;
        this.interceptor = interceptor;
        proxies = new Proxies(new DefaultPointcutAdvisor(ANNOTATED, interceptor));
    }

    /** Adds an advisor to a bean's proxy, or creates a proxy with it. */
    private static final class Proxies extends AbstractBeanFactoryAwareAdvisingPostProcessor {

        private static final long serialVersionUID = 1L;

        private final transient Advisor added;

        Proxies(Advisor added) {
            this.added = added;
            advisor = added;
            setProxyTargetClass(true);
        }
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        proxies.setBeanFactory(beanFactory);
    }

    /** Creates the proxy's class ahead of time. */
    @Override
    public Class<?> determineBeanType(Class<?> beanClass, String beanName) {
        return proxies.determineBeanType(beanClass, beanName);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean
                || !methods.register(GuardedMethods.typeOf(bean), transactionsOf(bean))) {
            return bean;
        }
        Object guarded = proxies.postProcessAfterInitialization(bean, beanName);
        if (guarded instanceof Advised advised && isGuarded(advised)) {
            guardedBeans.add(beanName);
            placeAroundTransactions(advised);
        }
        return guarded;
    }

    /** Returns whether a bean was guarded. Other post-processors may have wrapped it since. */
    boolean hasGuarded(String beanName) {
        return guardedBeans.contains(beanName);
    }

    static boolean isGuarded(Advised advised) {
        return Stream.of(advised.getAdvisors()).anyMatch(advisor -> advisor.getAdvice() instanceof GuardInterceptor);
    }

    /** Returns the source that the advice of a bean's transactions asks; null without such advice. */
    private static @Nullable TransactionAttributeSource transactionsOf(Object bean) {
        Advisor transactional = bean instanceof Advised advised ? transactional(advised) : null;
        if (transactional == null) {
            return null;
        }
        TransactionAttributeSource source = adviceOf(transactional).getTransactionAttributeSource();
        return (method, target) -> source != null && target != null && applies(transactional, method, target)
                ? source.getTransactionAttribute(method, target)
                : null;
    }

    private static @Nullable Advisor transactional(Advised advised) {
        return Stream.of(advised.getAdvisors())
                .filter(advisor -> advisor.getAdvice() instanceof TransactionInterceptor)
                .findFirst()
                .orElse(null);
    }

    private static TransactionInterceptor adviceOf(Advisor transactional) {
        return (TransactionInterceptor) transactional.getAdvice();
    }

    /** Replaces the transaction advice of annotated methods, if there is any. Other methods keep it. */
    private void placeAroundTransactions(Advised advised) {
        Advisor transactional = transactional(advised);
        if (transactional == null || advised.isFrozen()) {
            return;
        }
        TransactionInterceptor advice = adviceOf(transactional);
        StaticMethodMatcher transactionalMethods = new StaticMethodMatcher() {

            @Override
            public boolean matches(Method method, Class<?> target) {
                return applies(transactional, method, target);
            }
        };
        MethodMatcher annotated = ANNOTATED.getMethodMatcher();
        int place = advised.indexOf(transactional);
        advised.replaceAdvisor(
                transactional,
                advisor(MethodMatchers.intersection(transactionalMethods, MethodMatchers.negate(annotated)), advice));
        advised.addAdvisor(
                place,
                advisor(MethodMatchers.intersection(transactionalMethods, annotated), interceptor.around(advice)));
        advised.removeAdvisor(proxies.added);
        advised.addAdvisor(advisor(
                MethodMatchers.intersection(annotated, MethodMatchers.negate(transactionalMethods)), interceptor));
    }

    private static Advisor advisor(MethodMatcher methods, Advice advice) {
        return new DefaultPointcutAdvisor(new ComposablePointcut(methods), advice);
    }

    private static boolean applies(Advisor advisor, Method method, Class<?> target) {
        if (advisor instanceof PointcutAdvisor pointcut) {
            return pointcut.getPointcut().getClassFilter().matches(target)
                    && pointcut.getPointcut().getMethodMatcher().matches(method, target);
        }
        return !(advisor instanceof IntroductionAdvisor);
    }

    /** Logs a warning about advice of a bean that does not run before a replay. */
    void report(Object bean, String beanName) {
        if (!(bean instanceof Advised advised) || !isGuarded(advised)) {
            return;
        }
        List<String> within = methods.methodsOf(GuardedMethods.typeOf(advised)).stream()
                .flatMap(method -> within(advised, method))
                .distinct()
                .toList();
        if (!within.isEmpty()) {
            log.warn(
                    "Bean {}: this advice does not run before a replay, because it is within the method's transaction: {}. A caller"
                            + " that it would refuse still gets the response. Order it before the transaction, for example"
                            + " with @Order(0) on its aspect.",
                    beanName,
                    within);
        }
    }

    private static Stream<String> within(Advised advised, Method method) {
        Class<?> target = AopUtils.getTargetClass(advised);
        return Stream.of(advised.getAdvisors())
                .filter(advisor -> applies(advisor, method, target))
                .dropWhile(advisor -> !(advisor.getAdvice() instanceof GuardInterceptor))
                .map(Advisor::getAdvice)
                .filter(GuardPostProcessor::isOfApplication)
                .map(Object::toString);
    }

    private static boolean isOfApplication(Advice advice) {
        return !(advice instanceof GuardInterceptor
                || advice instanceof TransactionInterceptor
                || advice instanceof MethodValidationInterceptor
                || advice instanceof PersistenceExceptionTranslationInterceptor);
    }
}
