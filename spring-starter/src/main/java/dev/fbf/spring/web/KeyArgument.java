package dev.fbf.spring.web;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.operation.GuardedMethods;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

/** Lets handlers take the key of their request as an argument. */
final class KeyArgument implements HandlerMethodArgumentResolver {

    private final Supplier<Keys> keys;

    KeyArgument(Supplier<Keys> keys) {
        this.keys = keys;
    }

    /** Reads the keys of requests. */
    @FunctionalInterface
    interface Keys {

        /** Returns the key of a request; null if it has none and needs none. */
        @Nullable IdempotencyKey of(HttpServletRequest request, Method handler, boolean required);
    }

    /** Finds the argument of a handler; null if it has none. */
    static @Nullable MethodParameter of(HandlerMethod handler) {
        return Arrays.stream(handler.getMethodParameters())
                .filter(GuardedMethods::isKeyOfRequest)
                .findFirst()
                .orElse(null);
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
        HttpServletRequest request = Objects.requireNonNull(web.getNativeRequest(HttpServletRequest.class));
        IdempotencyKey key =
                keys.get().of(request, Objects.requireNonNull(parameter.getMethod()), !parameter.isOptional());
        return parameter.getParameterType() == Optional.class ? Optional.ofNullable(key) : key;
    }
}
