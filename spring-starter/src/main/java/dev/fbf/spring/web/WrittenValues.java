package dev.fbf.spring.web;

import dev.fbf.spring.operation.UnfinishedResults;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodParameter;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Post-processor that lets the values of guarded handlers, and of exception handlers after them, be kept before they are sent.
 *
 * @param responses must not be resolved before the first request, because its beans may depend on this bean
 */
record WrittenValues(Supplier<FirstResponses> responses) implements BeanPostProcessor {

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof RequestMappingHandlerAdapter adapter) {
            adapter.setReturnValueHandlers(decorated(adapter.getReturnValueHandlers()));
        } else if (bean instanceof ExceptionHandlerExceptionResolver resolver) {
            resolver.setReturnValueHandlers(decorated(
                    Objects.requireNonNull(resolver.getReturnValueHandlers()).getHandlers()));
        } else if (bean instanceof HandlerExceptionResolverComposite composite) {
            composite.getExceptionResolvers().forEach(resolver -> postProcessAfterInitialization(resolver, beanName));
        }
        return bean;
    }

    private List<HandlerMethodReturnValueHandler> decorated(@Nullable List<HandlerMethodReturnValueHandler> handlers) {
        return List.of(new Decorator(responses, new HandlerMethodReturnValueHandlerComposite().addHandlers(handlers)));
    }

    private record Decorator(Supplier<FirstResponses> responses, HandlerMethodReturnValueHandler decorated)
            implements HandlerMethodReturnValueHandler {

        @Override
        public boolean supportsReturnType(MethodParameter type) {
            return decorated.supportsReturnType(type);
        }

        @Override
        public void handleReturnValue(
                @Nullable Object value, MethodParameter type, ModelAndViewContainer container, NativeWebRequest web)
                throws Exception {
            HttpServletRequest request = Objects.requireNonNull(web.getNativeRequest(HttpServletRequest.class));
            HttpServletResponse response = Objects.requireNonNull(web.getNativeResponse(HttpServletResponse.class));
            GuardedRequest guarded = GuardedRequest.of(request);
            if (guarded == null || !guarded.wantsValue() || !hasBody(value) || response.isCommitted()) {
                decorated.handleReturnValue(value, type, container, web);
            } else {
                ContentCachingResponseWrapper cached = new ContentCachingResponseWrapper(response);
                decorated.handleReturnValue(value, type, container, new ServletWebRequest(request, cached));
                if (container.isRequestHandled()) {
                    responses.get().keep(guarded, cached);
                    cached.copyBodyToResponse();
                }
            }
            if (guarded != null && !container.isRequestHandled()) {
                guarded.setView();
            }
        }

        /** Returns whether a value is written at once, and is not too long for the heap. */
        private static boolean hasBody(@Nullable Object value) {
            Object body = value instanceof HttpEntity<?> entity ? entity.getBody() : value;
            return value != null && !(body instanceof Resource) && UnfinishedResults.in(value) == null;
        }
    }
}
