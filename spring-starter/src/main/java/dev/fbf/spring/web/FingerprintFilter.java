package dev.fbf.spring.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets what a request consists of be read a second time, as far as it is compared. */
final class FingerprintFilter extends OncePerRequestFilter {

    /** The attribute that holds the {@link FingerprintedRequest}: other filters may wrap it. */
    static final String REQUEST = FingerprintFilter.class.getName() + ".REQUEST";

    private final String keyHeader;
    private final int maxBody;

    /**
     * @param keyHeader the name of the header with the key: requests without it are not compared
     * @param maxBody how many bytes of a body are compared at most
     */
    FingerprintFilter(String keyHeader, int maxBody) {
        this.keyHeader = keyHeader;
        this.maxBody = maxBody;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getHeader(keyHeader) == null;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        FingerprintedRequest fingerprinted = new FingerprintedRequest(request, maxBody);
        request.setAttribute(REQUEST, fingerprinted);
        chain.doFilter(fingerprinted, response);
    }
}
