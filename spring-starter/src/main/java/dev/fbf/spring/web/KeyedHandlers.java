package dev.fbf.spring.web;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.method.GuardedMethods;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Resolver that passes requests' keys to handlers.
 *
 * @param keys must not resolve its beans before the first call, because they may depend on this bean
 */
record KeyedHandlers(Keys keys) implements WebMvcConfigurer, HandlerMethodArgumentResolver {

    /** Source of a request's key. */
    @FunctionalInterface
    interface Keys {

        /** Returns the key; null if the request has none and the handler does not require one. */
        @Nullable IdempotencyKey of(HttpServletRequest request, Method handler, boolean required);
    }

    /** Returns the handler's parameter for the key; null if it has none. */
    static @Nullable MethodParameter keyArgument(HandlerMethod handler) {
        return Arrays.stream(handler.getMethodParameters())
                .filter(GuardedMethods::isKeyOfRequest)
                .findFirst()
                .orElse(null);
    }

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(this);
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return GuardedMethods.isKeyOfRequest(parameter);
    }

    @Override
    public @Nullable Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer view,
            NativeWebRequest web,
            @Nullable WebDataBinderFactory binders) {
        IdempotencyKey key = keys.of(
                Objects.requireNonNull(web.getNativeRequest(HttpServletRequest.class)),
                Objects.requireNonNull(parameter.getMethod()),
                !parameter.isOptional());
        return parameter.getParameterType() == Optional.class ? Optional.ofNullable(key) : key;
    }
}
