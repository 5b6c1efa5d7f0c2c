package dev.fbf.spring.web;

import dev.fbf.db.Response;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
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
     * both.
     */
    static void want(HttpServletRequest request, UUID operation, IntPredicate statuses, Consumer<Response> receiver) {
        Wanted before = (Wanted) request.getAttribute(WANTED);
        request.setAttribute(WANTED, before == null ? new Wanted(operation, statuses, receiver) : Wanted.BY_SEVERAL);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        RecordedResponse recorded = new RecordedResponse(response, maxBody);
        chain.doFilter(request, recorded);
        Wanted wanted = (Wanted) request.getAttribute(WANTED);
        byte[] body = recorded.body();
        if (wanted != null
                && body != null
                && wanted.statuses().test(recorded.getStatus())
                && !request.isAsyncStarted()) {
            wanted.receiver()
                    .accept(new Response(
                            wanted.operation(),
                            recorded.getStatus(),
                            recorded.getContentType(),
                            recorded.getHeader(HttpHeaders.LOCATION),
                            body));
        }
    }

    private record Wanted(UUID operation, IntPredicate statuses, Consumer<Response> receiver) {

        static final Wanted BY_SEVERAL = new Wanted(new UUID(0, 0), status -> false, response -> {});
    }
}
