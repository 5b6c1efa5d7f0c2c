package dev.fbf.spring;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** The annotated methods of all beans. Thread-safe. */
final class GuardedMethods {

    private final GuardedMethodReader reader = new GuardedMethodReader();
    private final Map<Class<?>, Map<Method, GuardedMethod>> byClass = new ConcurrentHashMap<>();

    /**
     * Reads a bean's class, unless it was read before.
     *
     * @return whether it has annotated methods
     * @throws GuardedMethodException if one of them cannot work
     */
    boolean register(Class<?> beanClass) {
        return !of(beanClass).isEmpty();
    }

    /** The annotated method that a call of a bean ends up in. */
    GuardedMethod get(Method called, Class<?> beanClass) {
        GuardedMethod guarded = find(called, beanClass);
        if (guarded == null) {
            throw new IllegalStateException("method=" + called + ": is not annotated with @IdempotentIncrement");
        }
        return guarded;
    }

    /** The annotated method that a call of a bean ends up in, or null if it is not annotated. */
    @Nullable GuardedMethod find(Method called, Class<?> beanClass) {
        return of(beanClass).get(AopUtils.getMostSpecificMethod(called, ClassUtils.getUserClass(beanClass)));
    }

    /** All methods read so far, in the order of their scopes. */
    List<GuardedMethod> all() {
        return byClass.values().stream()
                .flatMap(methods -> methods.values().stream())
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
