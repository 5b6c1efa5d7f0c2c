package dev.fbf.spring.web;

import dev.fbf.db.dialect.Response;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.method.GuardedMethods;
import dev.fbf.spring.operation.HttpRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.OutputStream;
import java.io.Writer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.util.unit.DataSize;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * First responses that are kept for retries: values as they are written, and other responses when their handler has completed. Refuses HEAD,
 * which Spring MVC maps to the handlers of GET, for guarded handlers: it must not apply an operation.
 */
final class FirstResponses implements HandlerInterceptor {

    private static final Logger log = LoggerFactory.getLogger(FirstResponses.class);

    /** Arguments with which a handler can write its response itself. */
    private static final List<Class<?>> RAW =
            List.of(ServletResponse.class, OutputStream.class, Writer.class, WebRequest.class);

    private final GuardedMethods methods;
    private final DataSize maxBody;
    private final Set<String> headers = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    FirstResponses(FbfProperties.Responses properties, GuardedMethods methods) {
        this.methods = methods;
        maxBody = properties.maxBody();
        headers.addAll(properties.headers());
        headers.add(HttpHeaders.LOCATION);
        List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.CONTENT_LENGTH, HttpHeaders.SET_COOKIE, HttpRequest.REPLAYED)
                .forEach(headers::remove);
    }

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

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception thrown) {
        GuardedRequest guarded = GuardedRequest.of(request);
        if (guarded == null || thrown != null || !guarded.wantsResponse()) {
            return;
        }
        boolean isRedirect = response.getStatus() / 100 == 3 && response.getHeader(HttpHeaders.LOCATION) != null;
        if (isRedirect || !(guarded.hasView() || response.getContentType() != null || writesItself(handler))) {
            keep(guarded, request, new ContentCachingResponseWrapper(response));
        } else if (guarded.canKeep(response.getStatus()) && isNew("unwritten", handler)) {
            log.info(
                    "The response of {} is not kept, because it is a view, a stream or a resource, or written to the"
                            + " response itself. Its retries get the result of onDuplicate, or 204. To keep it, return"
                            + " its body.",
                    handler);
        }
    }

    private static boolean writesItself(Object handler) {
        return !(handler instanceof HandlerMethod method)
                || Stream.of(method.getMethodParameters())
                        .map(parameter -> parameter.getParameterType())
                        .anyMatch(type -> RAW.stream().anyMatch(raw -> raw.isAssignableFrom(type)));
    }

    /** Keeps a response before it is sent, unless it is too long or may not be kept. */
    void keep(GuardedRequest guarded, HttpServletRequest request, ContentCachingResponseWrapper response) {
        if (!guarded.canKeep(response.getStatus())) {
            guarded.drop();
            return;
        }
        Map<String, Collection<String>> set = guarded.headersOf(response);
        if (response.isCommitted()) { // by a redirect or an error: filters have added their headers
            set.keySet().removeIf(name -> !name.equalsIgnoreCase(HttpHeaders.LOCATION));
        }
        StringBuilder lines = new StringBuilder();
        if (response.getContentType() != null) {
            append(lines, HttpHeaders.CONTENT_TYPE, response.getContentType());
        }
        set.forEach((name, values) -> {
            if (headers.contains(name)) {
                values.forEach(value -> append(lines, name, value));
            }
        });
        Object handler = request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
        if (lines.length() > maxBody.toBytes() || response.getContentSize() > maxBody.toBytes()) {
            guarded.drop();
            if (isNew("length", handler)) {
                log.info(
                        "A response of {} is longer than fbf.responses.max-body={} and is not kept: its retries get the response for"
                                + " duplicates. Name an onDuplicate method, or raise that property.",
                        handler,
                        maxBody);
            }
            return;
        }
        guarded.complete(operation ->
                new Response(operation, response.getStatus(), lines.toString(), response.getContentAsByteArray()));
    }

    /** Servers replace control characters, and a line break would end the line. */
    private static void append(StringBuilder lines, String name, String value) {
        lines.append(name)
                .append(": ")
                .append(value.replaceAll("\\p{Cntrl}", " "))
                .append('\n');
    }

    private boolean isNew(String notice, @Nullable Object handler) {
        return logged.add(notice + handler);
    }
}
