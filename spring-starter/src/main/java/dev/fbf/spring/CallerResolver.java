package dev.fbf.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Resolver of the caller, in place of the authenticated user. Applies to every annotated method without a {@code caller} expression,
 * including listeners and jobs, and to handlers that take the {@link IdempotencyKey} of their request. The same key of two callers names
 * two operations. One bean of this type applies to the whole application.
 *
 * <pre>{@code
 * @Bean
 * CallerResolver tenants(Tenants tenants) {
 *     return (method, arguments) -> tenants.current();
 * }
 * }</pre>
 *
 * <p>Called concurrently, before the guard begins a transaction. Its exceptions reach the caller of the method.
 */
@FunctionalInterface
public interface CallerResolver {

    /**
     * Returns the caller, by the rules of {@link IdempotentIncrement#caller()}. A principal or an authentication is identified by its name.
     *
     * @param method the annotated method of the bean's class, or the handler
     * @param arguments its arguments; empty for a handler that takes its request's key, because its arguments are not known yet
     * @return the caller; null, or an empty Optional, for no particular caller, which is refused if a user is authenticated; an empty text if
     *     all users are the same caller
     */
    @Nullable Object resolveCaller(Method method, @Nullable Object... arguments);
}
