package dev.fbf.spring.web;

import dev.fbf.db.Response;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.util.unit.DataSize;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** Filter that passes responses up to a maximum length to the receivers that keep them for retries. */
final class ResponseFilter extends OncePerRequestFilter {

    private static final Logger log = LoggerFactory.getLogger(ResponseFilter.class);

    /** Headers that the server or Spring MVC sets for each response. */
    private static final Set<String> SET_ANEW = Set.of(
            "content-length",
            "content-type",
            "date",
            "connection",
            "transfer-encoding",
            "vary",
            "access-control-allow-origin",
            "access-control-allow-credentials",
            "access-control-expose-headers");

    private final DataSize maxBody;
    private final Set<String> headers;
    private final Predicate<HandlerMethod> guarded;
    private final Map<HandlerMethod, Boolean> handlers = new ConcurrentHashMap<>();
    private final Set<String> logged = ConcurrentHashMap.newKeySet();

    /**
     * @param maxBody the maximum length of a body that is kept
     * @param headers the names of the headers that are kept
     * @param guarded tests whether a handler is guarded, so that its response may be needed
     */
    ResponseFilter(DataSize maxBody, Collection<String> headers, Predicate<HandlerMethod> guarded) {
        this.maxBody = maxBody;
        this.headers = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        this.headers.addAll(headers);
        this.headers.remove(HttpHeaders.CONTENT_TYPE);
        this.guarded = guarded;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        RecordedResponse recorded =
                new RecordedResponse(response, (int) maxBody.toBytes(), () -> isGuarded(handler(request)));
        request.setAttribute(RecordedResponse.ATTRIBUTE, recorded);
        Response complete = null;
        try {
            chain.doFilter(request, recorded);
            if (recorded.isWanted()) {
                complete = request.isAsyncStarted() ? null : recorded.complete(headers);
                report(String.valueOf(handler(request)), complete, recorded);
            }
        } finally {
            request.removeAttribute(RecordedResponse.ATTRIBUTE);
            recorded.handOver(complete);
        }
    }

    private void report(String handler, @Nullable Response complete, RecordedResponse recorded) {
        if (complete != null) {
            Set<String> lost = recorded.headers.keySet();
            lost.removeIf(name -> headers.contains(name) || SET_ANEW.contains(name.toLowerCase(Locale.ROOT)));
            if (!lost.isEmpty() && logged.add(handler + " headers")) {
                log.info(
                        "Replays of {} lack these headers of the first response: {}. Add those that clients need to"
                                + " fbf.responses.headers.",
                        handler,
                        lost);
            }
        } else if (recorded.isTooLong() && logged.add(handler + " length")) {
            log.info(
                    "A response of {} is longer than fbf.responses.max-body={} and is not kept: its retries get the response for"
                            + " duplicates. Name an onDuplicate method, or raise that property.",
                    handler,
                    maxBody);
        }
    }

    private static @Nullable Object handler(HttpServletRequest request) {
        return request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
    }

    private boolean isGuarded(@Nullable Object handler) {
        return handler instanceof HandlerMethod method && handlers.computeIfAbsent(method, guarded::test);
    }
}
