package dev.fbf.sample.fault;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.regex.Pattern;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** Lets a counter do its work and keeps its response, so that {@link LostResponsesValve} can cut the connection. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LostResponsesFilter extends OncePerRequestFilter {

    static final String LOST = LostResponsesFilter.class.getName() + ".LOST";

    private static final Pattern COUNTER = Pattern.compile("(/unguarded|/grouped)?/pages/[^/]+/views");

    private final LostResponses lostResponses;

    LostResponsesFilter(LostResponses lostResponses) {
        this.lostResponses = lostResponses;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        boolean countsViews = request.getMethod().equals("POST")
                && COUNTER.matcher(request.getRequestURI()).matches();
        return !countsViews || !lostResponses.strikes();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        request.setAttribute(LOST, true);
        chain.doFilter(request, new ContentCachingResponseWrapper(response));
    }
}
