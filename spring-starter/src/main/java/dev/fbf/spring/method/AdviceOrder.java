package dev.fbf.spring.method;

import dev.fbf.spring.IdempotentIncrement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.Advisor;
import org.springframework.aop.IntroductionAdvisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcher;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.Ordered;
import org.springframework.dao.support.PersistenceExceptionTranslationInterceptor;
import org.springframework.resilience.retry.AbstractRetryInterceptor;
import org.springframework.transaction.interceptor.BeanFactoryTransactionAttributeSourceAdvisor;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.util.ObjectUtils;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Post-processor that orders fbf's advice among the other advice of a bean, after {@link GuardPostProcessor} has done so: other
 * post-processors may have added advice since.
 */
final class AdviceOrder implements BeanPostProcessor {

    /*
     * The chain of a guarded method:
     *
     *   asynchronous advice     returns before the work is done: the thread that does the work takes the claim
     *   DecisionInterceptor     carries replays and refusals past the advice below
     *   other advice            may refuse the caller, and also refuses a replay then
     *   validation by Spring    Spring adds it last, regardless of its order
     *   ClaimInterceptor
     *   Spring's retries        a replay is not attempted again; Spring puts them first, regardless of their order
     *   transaction advice      the claim sees its COMMIT; a replay needs no transaction
     *   advice with an order after the transaction's
     *   EnterInterceptor
     *
     * fbf.advice-order moves the claim outward, before the first advice with a greater order. It cannot move the claim into the
     * transaction.
     *
     * The advice after the transaction's does not run before a replay, and cannot be moved without leaving the transaction. So it is
     * reported. Spring Security's checks before a call are the exception: after these, the claim is taken within the transaction, as for
     * a call in its caller's transaction.
     *
     * Methods of one bean differ in the advice that applies to them, so a bean may have several advisors for the claim.
     */
    private static final Logger log = LoggerFactory.getLogger(AdviceOrder.class);

    static final Pointcut ANNOTATED = new AnnotationMatchingPointcut(null, IdempotentIncrement.class, true);

    private final GuardedMethods methods;
    private final IntSupplier order;
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    /** @param order returns fbf.advice-order; called when a bean is guarded, because properties are bound after this object's creation */
    AdviceOrder(GuardedMethods methods, IntSupplier order) {
        this.methods = methods;
        this.order = order;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof Advised advised && claimOf(advised) != null) {
            arrange(advised);
            report(bean, beanName);
        }
        return bean;
    }

    /** Moves fbf's advisors, and Spring's retries and validation, to their places. */
    void arrange(Advised advised) {
        ClaimInterceptor claim = claimOf(advised);
        if (claim == null || advised.isFrozen()) {
            return;
        }
        List<Advisor> moved = new ArrayList<>();
        List<Advisor> others = new ArrayList<>();
        Advisor enter = null;
        for (Advisor advisor : advised.getAdvisors()) {
            Advice advice = advisor.getAdvice();
            if (advice instanceof EnterInterceptor) {
                enter = advisor;
            }
            boolean moves = isOwn(advice) || isRetry(advice) || isValidation(advice);
            (moves ? moved : others).add(advisor);
        }
        int within = firstIndex(others, AdviceOrder::isTransactional, others.size());
        others.addAll(within, filter(moved, AdviceOrder::isRetry));
        others.addAll(within, filter(moved, AdviceOrder::isValidation));
        List<Advisor> wanted = new ArrayList<>();
        Class<?> target = targetOf(advised);
        List<@Nullable Advisor> places = new ArrayList<>();
        annotated(advised).forEach(method -> {
            requireBeforeTransaction(others, method, target);
            places.add(placeOf(others, method, target));
        });
        for (Advisor other : others) {
            if (places.contains(other)) {
                wanted.add(claimAdvisor(claim, others, other));
            }
            wanted.add(other);
        }
        if (places.contains(null)) {
            wanted.add(claimAdvisor(claim, others, null));
        }
        if (enter != null) {
            wanted.add(enter);
        }
        int first = 1 + lastIndex(others, advisor -> advisor.getAdvice() instanceof AsyncExecutionInterceptor);
        wanted.add(first, new DefaultPointcutAdvisor(ANNOTATED, new DecisionInterceptor()));
        moved.forEach(advised::removeAdvisor);
        for (int i = 0; i < wanted.size(); i++) {
            if (i >= advised.getAdvisorCount() || advised.getAdvisors()[i] != wanted.get(i)) {
                advised.addAdvisor(i, wanted.get(i));
            }
        }
    }

    /** Logs a warning, once per bean, about advice that does not run before a replay. */
    void report(Object bean, String beanName) {
        if (!(bean instanceof Advised advised) || claimOf(advised) == null) {
            return;
        }
        Set<String> passedBy = new TreeSet<>();
        Set<String> of = new TreeSet<>();
        for (Method method : annotated(advised)) {
            passedBy(advised, method).forEach(advice -> {
                passedBy.add(advice);
                of.add(method.getName());
            });
        }
        if (!passedBy.isEmpty() && reported.add(beanName)) {
            log.warn(
                    "Bean {}, {}: this advice does not run before a replay: {}. A caller that it would refuse still gets"
                            + " the response. The advice is within the method's transaction, or in a proxy that cannot"
                            + " be changed. Order it before the transaction, for example with @Order(0) on its aspect.",
                    beanName,
                    of,
                    passedBy);
        }
    }

    private List<String> passedBy(Advised advised, Method method) {
        Class<?> target = targetOf(advised);
        List<Advisor> advisors = List.of(advised.getAdvisors());
        int claim = lastIndex(
                advisors,
                advisor -> advisor.getAdvice() instanceof ClaimInterceptor && applies(advisor, method, target));
        Stream<Advisor> within = advisors.stream().skip(claim + 1);
        if (AopProxyUtils.getSingletonTarget(advised) instanceof Advised inner && inner.isFrozen()) {
            within = Stream.concat(within, Stream.of(inner.getAdvisors()));
        }
        return within.filter(advisor -> isOfApplication(advisor) && applies(advisor, method, target))
                .map(advisor -> nameOf(advisor.getAdvice()))
                .toList();
    }

    private boolean isOfApplication(Advisor advisor) {
        Advice advice = advisor.getAdvice();
        return !isOwn(advice)
                && !isTransactional(advisor)
                && !isRetry(advice)
                && !followsByOrder(advisor)
                && !(advice instanceof PersistenceExceptionTranslationInterceptor)
                && !isOfSecurity(advice);
    }

    private static String nameOf(Advice advice) {
        String text = advice.toString();
        return text.equals(ObjectUtils.identityToString(advice))
                ? advice.getClass().getName()
                : text;
    }

    private List<Method> annotated(Advised advised) {
        return methods.methodsOf(GuardedMethods.typeOf(advised));
    }

    private static Class<?> targetOf(Advised advised) {
        Object target = AopProxyUtils.getSingletonTarget(advised);
        Class<?> type = target == null ? advised.getTargetClass() : target.getClass();
        return type == null ? Object.class : type;
    }

    /** Returns the advisor before which the claim is taken; null if that is {@link EnterInterceptor}'s. */
    private @Nullable Advisor placeOf(List<Advisor> others, Method method, Class<?> target) {
        Advisor place = null;
        for (Advisor advisor : others) {
            if (applies(advisor, method, target)) {
                if (mustGoFirst(advisor.getAdvice())) {
                    place = null;
                } else if (place == null && followsClaim(advisor)) {
                    place = advisor;
                }
            }
        }
        return place;
    }

    private Advisor claimAdvisor(ClaimInterceptor claim, List<Advisor> others, @Nullable Advisor place) {
        StaticMethodMatcher atPlace = new StaticMethodMatcher() {

            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return Objects.equals(placeOf(others, method, targetClass), place);
            }
        };
        return new DefaultPointcutAdvisor(new ComposablePointcut(ANNOTATED).intersection(atPlace), claim);
    }

    private static boolean applies(Advisor advisor, Method method, Class<?> target) {
        if (advisor instanceof PointcutAdvisor pointcut) {
            return pointcut.getPointcut().getClassFilter().matches(target)
                    && pointcut.getPointcut().getMethodMatcher().matches(method, target);
        }
        return !(advisor instanceof IntroductionAdvisor);
    }

    private static @Nullable ClaimInterceptor claimOf(Advised advised) {
        return Arrays.stream(advised.getAdvisors())
                .map(Advisor::getAdvice)
                .filter(ClaimInterceptor.class::isInstance)
                .map(ClaimInterceptor.class::cast)
                .findFirst()
                .orElse(null);
    }

    private static boolean isOwn(Advice advice) {
        return advice instanceof ClaimInterceptor
                || advice instanceof EnterInterceptor
                || advice instanceof DecisionInterceptor;
    }

    private boolean followsClaim(Advisor advisor) {
        return isRetry(advisor.getAdvice()) || isTransactional(advisor) || followsByOrder(advisor);
    }

    /** Returns whether the application orders the advice after the claim. Validation is exempt: Spring adds it last regardless. */
    private boolean followsByOrder(Advisor advisor) {
        return orderOf(advisor) > order.getAsInt() && !isValidation(advisor.getAdvice());
    }

    /**
     * Refuses an fbf.advice-order, except the default, that is greater than the transaction's order: within the transaction, each replay
     * would cost a transaction.
     */
    private void requireBeforeTransaction(List<Advisor> others, Method method, Class<?> target) {
        int wanted = order.getAsInt();
        if (wanted == Ordered.LOWEST_PRECEDENCE) {
            return;
        }
        others.stream()
                .filter(advisor -> advisor.getAdvice() instanceof TransactionInterceptor
                        && orderOf(advisor) < wanted
                        && applies(advisor, method, target))
                .findFirst()
                .ifPresent(advisor -> {
                    throw new InvalidConfigurationPropertyValueException(
                            "fbf.advice-order",
                            wanted,
                            "The guard would be within the transaction of " + method.toGenericString()
                                    + ", whose advice has the order "
                                    + orderOf(advisor)
                                    + ". Set at most this order, or omit the property: then the guard is directly before"
                                    + " the transaction.");
                });
    }

    private static int orderOf(Advisor advisor) {
        return advisor instanceof Ordered ordered ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
    }

    private static boolean isRetry(Advice advice) {
        return advice instanceof AbstractRetryInterceptor;
    }

    private static boolean isValidation(Advice advice) {
        return advice instanceof MethodValidationInterceptor;
    }

    /** Returns whether an advisor has Spring's transaction advice. */
    private static boolean isTransactional(Advisor advisor) {
        return advisor instanceof BeanFactoryTransactionAttributeSourceAdvisor
                || advisor.getAdvice() instanceof TransactionInterceptor;
    }

    private static boolean mustGoFirst(Advice advice) {
        return advice instanceof AsyncExecutionInterceptor || (isOfSecurity(advice) && !looksAtResult(advice));
    }

    private static boolean isOfSecurity(Advice advice) {
        return advice.getClass().getName().startsWith("org.springframework.security.");
    }

    private static boolean looksAtResult(Advice advice) {
        String name = advice.getClass().getName();
        return Stream.of("AfterMethodInterceptor", "PostFilter", "ReturnObject", "SecuredObject")
                .anyMatch(name::contains);
    }

    private static List<Advisor> filter(List<Advisor> advisors, Predicate<Advice> wanted) {
        return advisors.stream()
                .filter(advisor -> wanted.test(advisor.getAdvice()))
                .toList();
    }

    private static int firstIndex(List<Advisor> advisors, Predicate<Advisor> wanted, int otherwise) {
        for (int i = 0; i < advisors.size(); i++) {
            if (wanted.test(advisors.get(i))) {
                return i;
            }
        }
        return otherwise;
    }

    private static int lastIndex(List<Advisor> advisors, Predicate<Advisor> wanted) {
        for (int i = advisors.size() - 1; i >= 0; i--) {
            if (wanted.test(advisors.get(i))) {
                return i;
            }
        }
        return -1;
    }
}
