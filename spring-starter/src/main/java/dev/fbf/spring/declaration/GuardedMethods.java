package dev.fbf.spring.declaration;

import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.SqlCounters;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Role;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** The annotated methods of all beans, and what else applies operations. Thread-safe. */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
public final class GuardedMethods {

    private final GuardedMethodReader reader = new GuardedMethodReader();
    private final Map<Class<?>, Map<Method, GuardedMethod>> byClass = new ConcurrentHashMap<>();
    private final List<OperationSettings> counters = new CopyOnWriteArrayList<>();
    private final Set<OperationSettings> programs = ConcurrentHashMap.newKeySet();
    private final Set<String> elsewhere = ConcurrentHashMap.newKeySet();

    /**
     * Reads a bean's class, unless it was read before.
     *
     * @return whether it has annotated methods
     * @throws GuardedMethodException if one of them cannot work
     */
    public boolean register(Class<?> beanClass) {
        return !of(beanClass).isEmpty();
    }

    /**
     * Makes {@link SqlCounters} known, which have no annotation.
     *
     * @throws EqualScopesException if others have their scope
     */
    public synchronized void addCounters(OperationSettings settings) {
        if (counters.stream().anyMatch(other -> other.scope().equals(settings.scope()))) {
            throw new EqualScopesException(settings.scope());
        }
        counters.add(settings);
    }

    /** Makes the operations of a program known, so that their scope is opened at start. */
    public void addProgram(OperationSettings settings) {
        programs.add(settings);
    }

    /** Makes known that the operations of a scope are not applied in transactions. */
    public void addElsewhere(String scope) {
        elsewhere.add(scope);
    }

    /** Whether the operations of a scope are not applied in transactions. */
    public boolean isElsewhere(String scope) {
        return elsewhere.contains(scope);
    }

    /** The annotated method that a call of a bean ends up in. */
    public GuardedMethod of(MethodInvocation call) {
        GuardedMethod guarded =
                find(call.getMethod(), Objects.requireNonNull(call.getThis()).getClass());
        if (guarded == null) {
            throw new IllegalStateException(
                    "method=" + call.getMethod() + ": is not annotated with @IdempotentIncrement");
        }
        return guarded;
    }

    /** The annotated method that a call of a bean ends up in, or null if it is not annotated. */
    public @Nullable GuardedMethod find(Method called, Class<?> beanClass) {
        return of(beanClass).get(AopUtils.getMostSpecificMethod(called, ClassUtils.getUserClass(beanClass)));
    }

    /** All annotated methods read so far, in the order of their scopes. */
    public List<GuardedMethod> annotated() {
        return byClass.values().stream()
                .flatMap(methods -> methods.values().stream())
                .sorted(Comparator.comparing(GuardedMethod::scope))
                .toList();
    }

    /** The settings of all operations that are known so far, in the order of their scopes. */
    public List<OperationSettings> settings() {
        return Stream.of(annotated().stream().map(GuardedMethod::settings), counters.stream(), programs.stream())
                .flatMap(Function.identity())
                .distinct()
                .sorted(Comparator.comparing(OperationSettings::scope))
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
