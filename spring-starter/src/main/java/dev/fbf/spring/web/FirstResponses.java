package dev.fbf.spring.web;

import dev.fbf.db.dialect.Response;
import dev.fbf.spring.FbfProperties;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.util.unit.DataSize;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** First responses that are kept for retries: values as they are written, and other responses when their handler has completed. */
final class FirstResponses implements HandlerInterceptor {

    private static final Logger log = LoggerFactory.getLogger(FirstResponses.class);

    /** Arguments with which a handler can write its response itself. */
    private static final List<Class<?>> RAW =
            List.of(ServletResponse.class, OutputStream.class, Writer.class, WebRequest.class);

    private final DataSize maxBody;
    private final Set<String> headers = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    FirstResponses(FbfProperties.Responses properties) {
        maxBody = properties.maxBody();
        headers.addAll(properties.headers());
        headers.add(HttpHeaders.LOCATION);
        List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.CONTENT_LENGTH, HttpHeaders.SET_COOKIE, HttpRequest.REPLAYED)
                .forEach(headers::remove);
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
            keep(guarded, new ContentCachingResponseWrapper(response));
        } else {
            log.debug(
                    "The response of {} is not kept, because it is a view, a stream or a resource, or written to the response"
                            + " itself. Its retries get the result of onDuplicate, or 204.",
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
    void keep(GuardedRequest guarded, ContentCachingResponseWrapper response) {
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
        if (lines.length() > maxBody.toBytes() || response.getContentSize() > maxBody.toBytes()) {
            guarded.drop();
            log.debug("A response is longer than fbf.responses.max-body={} and is not kept.", maxBody);
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
}
