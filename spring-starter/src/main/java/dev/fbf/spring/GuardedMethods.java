package dev.fbf.spring;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** The annotated methods of all beans. Thread-safe. */
final class GuardedMethods {

    private final GuardedMethodReader reader = new GuardedMethodReader();
    private final Map<Class<?>, Map<Method, GuardedMethod>> byClass = new ConcurrentHashMap<>();
    private final List<GuardedMethod> unannotated = new CopyOnWriteArrayList<>();

    /**
     * Reads a bean's class, unless it was read before.
     *
     * @return whether it has annotated methods
     * @throws GuardedMethodException if one of them cannot work
     */
    boolean register(Class<?> beanClass) {
        return !of(beanClass).isEmpty();
    }

    /**
     * Makes the method of {@link SqlCounters} known, which has no annotation.
     *
     * @throws EqualScopesException if others have its scope
     */
    synchronized void add(GuardedMethod method) {
        if (unannotated.stream().anyMatch(other -> other.scope().equals(method.scope()))) {
            throw new EqualScopesException(method.scope());
        }
        unannotated.add(method);
    }

    /** The annotated method that a call of a bean ends up in. */
    GuardedMethod of(MethodInvocation call) {
        GuardedMethod guarded =
                find(call.getMethod(), Objects.requireNonNull(call.getThis()).getClass());
        if (guarded == null) {
            throw new IllegalStateException(
                    "method=" + call.getMethod() + ": is not annotated with @IdempotentIncrement");
        }
        return guarded;
    }

    /** The annotated method that a call of a bean ends up in, or null if it is not annotated. */
    @Nullable GuardedMethod find(Method called, Class<?> beanClass) {
        return of(beanClass).get(AopUtils.getMostSpecificMethod(called, ClassUtils.getUserClass(beanClass)));
    }

    /** All methods read so far, in the order of their scopes. */
    List<GuardedMethod> all() {
        Stream<GuardedMethod> annotated = byClass.values().stream().flatMap(methods -> methods.values().stream());
        return Stream.concat(annotated, unannotated.stream())
                .sorted(Comparator.comparing(GuardedMethod::scope))
                .toList();
    }

    private Map<Method, GuardedMethod> of(Class<?> beanClass) {
        return byClass.computeIfAbsent(ClassUtils.getUserClass(beanClass), this::read);
    }

    private Map<Method, GuardedMethod> read(Class<?> beanClass) {
        Map<Method, GuardedMethod> methods = MethodIntrospector.selectMethods(
                beanClass, (MethodIntrospector.MetadataLookup<GuardedMethod>) method -> {
                    IdempotentIncrement annotation =
                            AnnotatedElementUtils.findMergedAnnotation(method, IdempotentIncrement.class);
                    return annotation == null ? null : reader.read(beanClass, method, annotation);
                });
        requireDistinctDefaultScopes(methods);
        return methods;
    }

    private static void requireDistinctDefaultScopes(Map<Method, GuardedMethod> methods) {
        Set<String> seen = new HashSet<>();
        methods.forEach((method, guarded) -> {
            IdempotentIncrement annotation =
                    AnnotatedElementUtils.findMergedAnnotation(method, IdempotentIncrement.class);
            if (annotation != null && annotation.scope().isEmpty() && !seen.add(guarded.scope())) {
                throw new GuardedMethodException(
                        method,
                        "another method of this name has the same default scope, " + guarded.scope() + ".",
                        "Name the scope of each with scope = \"…\".");
            }
        });
    }
}
