package dev.fbf.spring.web;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.operation.Scopes;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Collection;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Request with a 64-bit fingerprint of its method, path and query, and of its form or body as far as the application has read it. The
 * comparison itself neither starts to read a body, nor makes the server parse a form.
 */
final class FingerprintedRequest extends HttpServletRequestWrapper {

    /** Request attribute with this request: other filters may wrap it. */
    static final String ATTRIBUTE = FingerprintedRequest.class.getName();

    private final FingerprintFilter comparison;

    private @Nullable DigestedBody body;
    private @Nullable BufferedReader reader;
    private @Nullable Long fingerprint;

    /** Whether the server has been asked for parameters or parts before the body, so that it has parsed a form. */
    private boolean parsed;

    private FingerprintedRequest(HttpServletRequest request, FingerprintFilter comparison) {
        super(request);
        this.comparison = comparison;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        if (body == null) {
            body = new DigestedBody(super.getInputStream());
            if (fingerprint != null) {
                body.complete();
            }
        }
        return body;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (reader == null) {
            String encoding = Objects.requireNonNullElse(getCharacterEncoding(), "ISO-8859-1");
            reader = new BufferedReader(new InputStreamReader(getInputStream(), encoding));
        }
        return reader;
    }

    @Override
    public @Nullable String getParameter(String name) {
        return parsed(super.getParameter(name));
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        return parsed(super.getParameterValues(name));
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return parsed(super.getParameterNames());
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        return parsed(super.getParameterMap());
    }

    @Override
    public Collection<Part> getParts() throws IOException, ServletException {
        return parsed(super.getParts());
    }

    @Override
    public @Nullable Part getPart(String name) throws IOException, ServletException {
        return parsed(super.getPart(name));
    }

    private <T extends @Nullable Object> T parsed(T answer) {
        parsed |= body == null;
        return answer;
    }

    /** Returns the first 64 bits of a SHA-256 digest, equal for equal requests on all machines; null if the scope does not compare requests. */
    @Nullable Long fingerprint(String scope) throws IOException {
        if (!comparison.scopes.of(scope).comparesRequests()) {
            return null;
        }
        if (fingerprint == null) {
            Fingerprint digest = new Fingerprint(this, comparison.ignored);
            String type = Objects.requireNonNullElse(getContentType(), "");
            if (parsed
                    && (type.startsWith(MediaType.MULTIPART_FORM_DATA_VALUE)
                            || type.startsWith(MediaType.APPLICATION_FORM_URLENCODED_VALUE))) {
                digest.add(getParameterMap());
            }
            if (body != null) {
                body.complete();
            }
            fingerprint = digest.end(body == null ? new byte[0] : body.digest());
        }
        return fingerprint;
    }

    /** Filter that wraps requests with a key. */
    static final class FingerprintFilter extends OncePerRequestFilter {

        /** Parameters of which each try can have another value. */
        private static final List<String> IGNORED =
                List.of("_", "_csrf", "_ga", "_gl", "fbclid", "gclid", "msclkid", "traceparent", "tracestate", "utm_*");

        private final String keyHeader;
        private final String[] ignored;
        private final Scopes scopes;

        FingerprintFilter(FbfProperties properties, Scopes scopes) {
            keyHeader = properties.key().header();
            ignored = Stream.concat(IGNORED.stream(), properties.fingerprint().ignoredParameters().stream())
                    .toArray(String[]::new);
            this.scopes = scopes;
        }

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            if (request.getHeader(keyHeader) == null) {
                chain.doFilter(request, response);
                return;
            }
            FingerprintedRequest fingerprinted = new FingerprintedRequest(request, this);
            request.setAttribute(ATTRIBUTE, fingerprinted);
            chain.doFilter(fingerprinted, response);
        }
    }
}
