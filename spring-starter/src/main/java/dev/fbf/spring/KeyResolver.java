package dev.fbf.spring;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Resolver of the idempotency key of a call, in place of the HTTP header. Applies to every annotated method without a {@code key}
 * expression. One bean of this type applies to the whole application.
 *
 * <pre>{@code
 * @Bean
 * KeyResolver messageIds() {
 *     return (method, arguments) -> Stream.of(arguments)
 *             .filter(Message.class::isInstance)
 *             .flatMap(message -> Stream.ofNullable(((Message<?>) message).getHeaders().get("event-id")))
 *             .findFirst()
 *             .orElse(null);
 * }
 * }</pre>
 *
 * <p>Called concurrently, before the guard begins a transaction. Its exceptions reach the caller of the method.
 */
@FunctionalInterface
public interface KeyResolver {

    /**
     * Returns the key, by the rules of {@link IdempotentIncrement#key()}: values with the same text are the same key.
     *
     * @param method the annotated method of the bean's class
     * @param arguments its arguments
     * @return the key; null, or an empty Optional, if the call has none
     */
    @Nullable Object resolveKey(Method method, @Nullable Object... arguments);
}
