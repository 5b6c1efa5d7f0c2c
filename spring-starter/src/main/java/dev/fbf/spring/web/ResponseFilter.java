package dev.fbf.spring.web;

import dev.fbf.db.Response;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/** Hands small responses to requests whose operations were applied to the receivers that asked for them. */
final class ResponseFilter extends OncePerRequestFilter {

    private static final String WANTED = ResponseFilter.class.getName() + ".WANTED";

    private final int maxBody;

    ResponseFilter(int maxBody) {
        this.maxBody = maxBody;
    }

    /**
     * Asks for the response to a request. If two operations of one request do, neither gets it: it would be the response to
     * both. Outside of this filter, as in a test without filters, there is none to get.
     */
    @SuppressWarnings("unchecked") // nobody else sets the attribute
    static void want(HttpServletRequest request, UUID operation, IntPredicate statuses, Consumer<Response> receiver) {
        Wanted one = new Wanted(operation, statuses, receiver);
        List<Wanted> all = (List<Wanted>) request.getAttribute(WANTED);
        if (all == null) {
            one.accept(null);
        } else {
            all.add(one);
        }
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        RecordedResponse recorded = new RecordedResponse(response, maxBody);
        List<Wanted> wanted = new ArrayList<>(1);
        request.setAttribute(WANTED, wanted);
        boolean completed = false;
        try {
            chain.doFilter(request, recorded);
            completed = !request.isAsyncStarted();
        } finally {
            request.removeAttribute(WANTED);
            boolean kept = completed && wanted.size() == 1;
            wanted.forEach(each -> each.accept(kept ? recorded : null));
        }
    }

    private record Wanted(UUID operation, IntPredicate statuses, Consumer<Response> receiver) {

        void accept(@Nullable RecordedResponse recorded) {
            byte[] body = recorded == null ? null : recorded.body();
            receiver.accept(
                    recorded == null || body == null || !statuses.test(recorded.getStatus())
                            ? Response.notKept(operation)
                            : new Response(
                                    operation,
                                    recorded.getStatus(),
                                    recorded.getContentType(),
                                    recorded.getHeader(HttpHeaders.LOCATION),
                                    body));
        }
    }
}
