package dev.fbf.spring.web;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodParameter;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Gives handlers the key of their request, and its decision to the client: what a handler returns after a replay or a refusal that it has
 * caught is no response to the request.
 */
final class KeyedHandlers implements BeanPostProcessor {

    /** Spring's own for arguments of any type, which come last. */
    private static final int FOR_ALL_TYPES = 2;

    private final KeyArgument argument;

    /**
     * @param keys is asked with the first call: beans that are needed to make others must not ask for them
     */
    KeyedHandlers(Supplier<KeyArgument.Keys> keys) {
        argument = new KeyArgument(keys);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof RequestMappingHandlerAdapter adapter) {
            List<HandlerMethodArgumentResolver> arguments =
                    new ArrayList<>(Objects.requireNonNull(adapter.getArgumentResolvers()));
            arguments.add(Math.max(0, arguments.size() - FOR_ALL_TYPES), argument);
            adapter.setArgumentResolvers(arguments);
            List<HandlerMethodReturnValueHandler> results = new ArrayList<>();
            results.add(new DecidedResult());
            results.addAll(Objects.requireNonNull(adapter.getReturnValueHandlers()));
            adapter.setReturnValueHandlers(results);
        }
        return bean;
    }

    private static void requireUndecided(HttpServletRequest request) {
        RuntimeException decision = decision(request);
        if (decision != null) {
            throw decision;
        }
    }

    /** The decision that is the response; null if there is none, or an error page responds to it now. */
    private static @Nullable RuntimeException decision(HttpServletRequest request) {
        return request.getDispatcherType() == DispatcherType.ERROR ? null : ServletRequests.decision(request);
    }

    /** Takes the place of a result that is not the response. */
    private static final class DecidedResult implements HandlerMethodReturnValueHandler {

        @Override
        public boolean supportsReturnType(MethodParameter returnType) {
            return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                    && decision(attributes.getRequest()) != null;
        }

        @Override
        public void handleReturnValue(
                @Nullable Object result, MethodParameter type, ModelAndViewContainer view, NativeWebRequest web) {
            requireUndecided(Objects.requireNonNull(web.getNativeRequest(HttpServletRequest.class)));
        }
    }

    /** Replaces the response of handlers whose result Spring does not handle, such as void methods with a status. */
    static final class DecidedRequest implements HandlerInterceptor {

        @Override
        public void postHandle(
                HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable ModelAndView view) {
            requireUndecided(request);
        }
    }
}
