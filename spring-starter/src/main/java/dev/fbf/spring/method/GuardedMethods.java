package dev.fbf.spring.method;

import static java.util.Objects.requireNonNull;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.StartException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.stereotype.Controller;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Registry of the annotated methods of all beans. Thread-safe. */
public final class GuardedMethods {

    private static final Logger log = LoggerFactory.getLogger(GuardedMethods.class);

    /** Package of the annotations of Spring's web module, which is optional. */
    private static final String OF_REQUESTS = "org.springframework.web.bind.annotation";

    private final GuardedMethodReader reader;
    private final Declarations declarations;
    private final Map<Class<?>, Map<Method, GuardedMethod>> byClass = new ConcurrentHashMap<>();

    /** Methods of {@link #byClass}, by the called method and the bean's class. */
    private final Map<MethodClassKey, GuardedMethod> byCall = new ConcurrentHashMap<>();

    /** Handlers that take the key of their request as an argument. */
    private final Set<Method> takingKeys = ConcurrentHashMap.newKeySet();

    GuardedMethods(ConfigurableListableBeanFactory beans, Declarations declarations) {
        reader = new GuardedMethodReader(beans);
        this.declarations = declarations;
    }

    /**
     * Reads a bean's class, or the interfaces of a JDK proxy, unless they were read before.
     *
     * @param transactions the source of the attributes of the bean's transactions; null for the annotations alone
     * @return whether they have annotated methods
     * @throws StartException if one of them cannot be guarded, or a handler cannot take a key
     */
    boolean register(Class<?> beanClass, @Nullable TransactionAttributeSource transactions) {
        if (AnnotatedElementUtils.hasAnnotation(beanClass, Controller.class)) {
            Set<Method> handlers = reader.takingKeys(ClassUtils.getUserClass(beanClass));
            takingKeys.addAll(handlers);
            handlers.forEach(handler -> declarations.addHandlerWithKey());
        }
        return readFrom(beanClass)
                        .filter(type -> !byClass.computeIfAbsent(type, its -> read(its, transactions))
                                .isEmpty())
                        .count()
                > 0;
    }

    /**
     * Determines the class with a bean's annotations: the target's class, or the class of a JDK proxy whose annotated methods are missing
     * in the target. Libraries create such proxies, for example Spring Data for repositories.
     */
    static Class<?> typeOf(Object bean) {
        Class<?> target = AopUtils.getTargetClass(bean);
        Class<?> shown = bean.getClass();
        return Proxy.isProxyClass(shown)
                        && Stream.of(shown.getInterfaces())
                                .anyMatch(type -> !type.isAssignableFrom(target) && hasAnnotated(type))
                ? shown
                : target;
    }

    /** Returns whether a class, or an interface of a JDK proxy, has annotated methods. */
    static boolean hasAnnotated(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, IdempotentIncrement.class)
                && readFrom(type)
                        .anyMatch(read -> !MethodIntrospector.selectMethods(
                                        read, (ReflectionUtils.MethodFilter) method ->
                                                AnnotatedElementUtils.hasAnnotation(method, IdempotentIncrement.class))
                                .isEmpty());
    }

    /** Returns the classes with the methods of a bean's class: for a JDK proxy its interfaces. */
    private static Stream<Class<?>> readFrom(Class<?> beanClass) {
        return Proxy.isProxyClass(beanClass)
                ? Stream.of(beanClass.getInterfaces())
                : Stream.of(ClassUtils.getUserClass(beanClass));
    }

    /** Returns whether a parameter of a handler is the key of its request, and not a request part that its annotation names. */
    public static boolean isKeyOfRequest(MethodParameter parameter) {
        return parameter.nestedIfOptional().getNestedParameterType() == IdempotencyKey.class
                && Stream.of(parameter.getParameterAnnotations())
                        .noneMatch(annotation ->
                                annotation.annotationType().getPackageName().equals(OF_REQUESTS));
    }

    /** Returns the handlers that take the key of their request as an argument. */
    public Collection<Method> takingKeys() {
        return Collections.unmodifiableSet(takingKeys);
    }

    /** Resolves the annotated method behind an invocation. */
    GuardedMethod of(MethodInvocation call) {
        Class<?> beanClass = requireNonNull(call.getThis()).getClass();
        MethodClassKey called = new MethodClassKey(call.getMethod(), beanClass);
        GuardedMethod known = byCall.get(called);
        return known != null
                ? known
                : byCall.computeIfAbsent(called, its -> requireNonNull(find(call.getMethod(), beanClass)));
    }

    /** Finds the annotated method that a call of a bean's method reaches; null if that is not annotated. */
    public @Nullable GuardedMethod find(Method called, Class<?> beanClass) {
        return readFrom(beanClass)
                .map(type -> of(type).get(AopUtils.getMostSpecificMethod(called, type)))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns the annotated methods of a bean's class, or of the interfaces of a JDK proxy. */
    List<Method> methodsOf(Class<?> beanClass) {
        return readFrom(beanClass).flatMap(type -> of(type).keySet().stream()).toList();
    }

    /** Returns all annotated methods read so far, sorted by scope. */
    public List<GuardedMethod> annotated() {
        return byClass.values().stream()
                .flatMap(methods -> methods.values().stream())
                .sorted(Comparator.comparing(GuardedMethod::scope))
                .toList();
    }

    /** Logs how many handlers distinguish clients by their logins only. Security, and not fbf, decides which of them need a login. */
    void logHandlersOfLogins() {
        long handlers = Stream.concat(
                        annotated().stream()
                                .filter(method -> method.handlesRequests() && method.belongsToLogin())
                                .map(GuardedMethod::method),
                        takingKeys.stream())
                .distinct()
                .count();
        if (handlers > 0) {
            log.info(
                    "The keys of {} guarded handlers are per login. All requests without a login that fbf knows share one"
                            + " key space: a client that sends another client's key gets that client's response. If your"
                            + " application distinguishes clients, for example by an API key, name the caller with"
                            + " caller = \"#…\" in @IdempotentIncrement, a CallerResolver bean, or IdempotentScope.caller(…).",
                    handlers);
        }
    }

    private Map<Method, GuardedMethod> of(Class<?> type) {
        return byClass.computeIfAbsent(type, its -> read(its, null));
    }

    private Map<Method, GuardedMethod> read(Class<?> beanClass, @Nullable TransactionAttributeSource transactions) {
        Map<Method, GuardedMethod> methods = MethodIntrospector.selectMethods(
                beanClass, (MethodIntrospector.MetadataLookup<GuardedMethod>) method -> {
                    IdempotentIncrement annotation =
                            AnnotatedElementUtils.findMergedAnnotation(method, IdempotentIncrement.class);
                    return annotation == null ? null : reader.read(beanClass, method, annotation, transactions);
                });
        requireDistinctDefaultScopes(methods);
        methods.values().forEach(method -> declarations.addMethod(method.settings()));
        return methods;
    }

    private static void requireDistinctDefaultScopes(Map<Method, GuardedMethod> methods) {
        Set<String> seen = new HashSet<>();
        methods.forEach((method, guarded) -> {
            IdempotentIncrement annotation =
                    AnnotatedElementUtils.findMergedAnnotation(method, IdempotentIncrement.class);
            if (annotation != null && annotation.scope().isEmpty() && !seen.add(guarded.scope())) {
                throw new StartException(
                        method,
                        "another method of this name has the same default scope, " + guarded.scope() + ".",
                        "Name the scope of each with scope = \"…\".");
            }
        });
    }
}
