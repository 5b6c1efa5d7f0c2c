package dev.fbf.spring.web;

import dev.fbf.spring.method.GuardedMethods;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import org.springframework.http.HttpMethod;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/** Interceptor that refuses HEAD, which Spring MVC maps to the handlers of GET, for guarded handlers: it must not apply an operation. */
record HeadRequests(GuardedMethods methods) implements HandlerInterceptor {

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws HttpRequestMethodNotSupportedException {
        if (HttpMethod.HEAD.matches(request.getMethod())
                && handler instanceof HandlerMethod method
                && KeyedHandlers.isGuarded(method, methods)) {
            throw new HttpRequestMethodNotSupportedException(request.getMethod(), Set.of(HttpMethod.GET.name()));
        }
        return true;
    }
}
