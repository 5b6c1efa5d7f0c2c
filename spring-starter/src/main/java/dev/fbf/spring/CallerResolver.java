package dev.fbf.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Resolves who makes a call, in place of the authenticated user: for every annotated method without a {@code caller} expression,
 * listeners and jobs too, and for handlers that take the {@link IdempotencyKey} of their request. The same key of two callers names two
 * operations. One bean of this type applies to the whole application.
 *
 * <pre>{@code
 * @Bean
 * CallerResolver tenants(Tenants tenants) {
 *     return (method, arguments) -> tenants.current();
 * }
 * }</pre>
 *
 * <p>Called by several threads concurrently, before the operation has a transaction. Its exceptions reach the caller of the method.
 */
@FunctionalInterface
public interface CallerResolver {

    /**
     * Returns the caller, by the rules of {@link IdempotentIncrement#caller()}. A principal or an authentication counts by its name.
     *
     * @param method the annotated method, of the bean's class; or the handler
     * @param arguments what it is called with; none for a handler that takes its request's key, whose arguments are not known yet
     * @return the caller; null, or an empty Optional, for nobody in particular
     */
    @Nullable Object resolveCaller(Method method, @Nullable Object... arguments);
}
