package dev.fbf.sample;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.stereotype.Component;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses requests that pages of other sites make the user's browser send: there is no login that could keep them out. */
@Component
final class SameOriginFilter extends OncePerRequestFilter {

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (CorsUtils.isCorsRequest(request)) {
            response.sendError(HttpServletResponse.SC_FORBIDDEN, "The request comes from a page of another site.");
        } else {
            chain.doFilter(request, response);
        }
    }
}
