package dev.fbf.spring.web;

import dev.fbf.spring.FbfProperties;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets what a request consists of be read before the method that is guarded, and be compared. */
final class FingerprintFilter extends OncePerRequestFilter {

    /** The attribute that holds the {@link FingerprintedRequest}: other filters may wrap it. */
    static final String REQUEST = FingerprintFilter.class.getName() + ".REQUEST";

    private final String keyHeader;
    private final FbfProperties.Fingerprint compared;
    private final long longest;

    /**
     * @param keyHeader the name of the header with the key: requests without it are left alone
     * @param compared whether requests are compared, and what of them
     * @param longest length of a body that is read before the method that reads it
     */
    FingerprintFilter(String keyHeader, FbfProperties.Fingerprint compared, long longest) {
        this.keyHeader = keyHeader;
        this.compared = compared;
        this.longest = longest;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getHeader(keyHeader) == null;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        FingerprintedRequest fingerprinted = new FingerprintedRequest(request, compared, longest);
        request.setAttribute(REQUEST, fingerprinted);
        try {
            chain.doFilter(fingerprinted, response);
        } finally {
            if (!request.isAsyncStarted()) {
                fingerprinted.discard();
            }
        }
    }
}
