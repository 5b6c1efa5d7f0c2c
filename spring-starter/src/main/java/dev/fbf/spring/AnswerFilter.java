package dev.fbf.spring;

import dev.fbf.db.Answer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.UUID;
import java.util.function.Consumer;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/** Keeps the answers to requests whose operations were applied, if they are small, for whoever asked for them. */
final class AnswerFilter extends OncePerRequestFilter {

    private static final String WANTED = AnswerFilter.class.getName() + ".WANTED";

    private final int maxBody;

    AnswerFilter(int maxBody) {
        this.maxBody = maxBody;
    }

    /**
     * Asks for the answer to a request. If two operations of one request do, neither gets it: it would be the answer to
     * both.
     */
    static void want(HttpServletRequest request, UUID operation, Consumer<Answer> receiver) {
        Wanted before = (Wanted) request.getAttribute(WANTED);
        request.setAttribute(WANTED, before == null ? new Wanted(operation, receiver) : Wanted.BY_SEVERAL);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        RecordedResponse recorded = new RecordedResponse(response, maxBody);
        chain.doFilter(request, recorded);
        Wanted wanted = (Wanted) request.getAttribute(WANTED);
        byte[] body = recorded.body();
        if (wanted != null && body != null && recorded.getStatus() / 100 == 2 && !request.isAsyncStarted()) {
            wanted.receiver()
                    .accept(new Answer(
                            wanted.operation(),
                            recorded.getStatus(),
                            recorded.getContentType(),
                            recorded.getHeader(HttpHeaders.LOCATION),
                            body));
        }
    }

    private record Wanted(UUID operation, Consumer<Answer> receiver) {

        static final Wanted BY_SEVERAL = new Wanted(new UUID(0, 0), answer -> {});
    }
}
