package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.fbf.spring.FbfProperties;
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
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.util.StringUtils;
import org.springframework.web.filter.OncePerRequestFilter;

/** Request with a 64-bit fingerprint of its method, path, query and body. A form's parameters replace its body. */
final class FingerprintedRequest extends HttpServletRequestWrapper {

    /* A server parses a form at the first access to a parameter, unless the stream was accessed before. The comparison runs after the
     * resolution of a method's arguments and before the method, which may both access parameters or the stream. So the comparison reads an
     * unread form, and keeps it available for both kinds of access:
     *
     *   UNREAD -> SERVER               parameters or parts are accessed
     *   UNREAD -> STREAM               the stream is accessed: the server has no parameters from the body
     *   UNREAD -> COMPARED -> PARSED   the form is compared; then parameters are accessed */
    private enum Body {
        UNREAD,
        SERVER,
        STREAM,
        COMPARED,
        PARSED
    }

    /**
     * Maximum number of bytes of a body that are compared, and kept in memory until they are read. Exceeds typical JSON, but is small
     * compared to the heap.
     */
    static final int MAX_BODY = 1 << 20;

    /** Request attribute with this request: other filters may wrap it. */
    static final String ATTRIBUTE = FingerprintedRequest.class.getName();

    /** Tomcat's limit for a form. */
    private static final int MAX_FORM = 2 << 20;

    private final @Nullable List<String> ignoredParameters;
    private final long longest;

    private Body state = Body.UNREAD;
    private @Nullable FingerprintedBody body;
    private @Nullable Map<String, String[]> parsed;
    private @Nullable BufferedReader reader;
    private @Nullable Long fingerprint;
    private boolean read;

    /**
     * Wraps a request.
     *
     * @param ignoredParameters parameters that are not compared; null if requests are not compared
     * @param longest the maximum number of bytes of a body that are stored until the body is read
     */
    FingerprintedRequest(HttpServletRequest request, @Nullable List<String> ignoredParameters, long longest) {
        super(request);
        this.ignoredParameters = ignoredParameters;
        this.longest = longest;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        if (state == Body.UNREAD) {
            state = Body.STREAM;
        }
        return body();
    }

    private FingerprintedBody body() throws IOException {
        if (body == null) {
            body = new FingerprintedBody(super.getInputStream(), MAX_BODY, getHeader(HttpHeaders.CONTENT_ENCODING));
        }
        return body;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterValues(name);
        return values == null ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        return getParameterMap().get(name);
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        if (state == Body.COMPARED) {
            try {
                parsed = parse(body().readNBytes(MAX_FORM));
                if (body().read() >= 0) {
                    throw new IllegalStateException("The form is longer than " + MAX_FORM
                            + " bytes: take its parameters as arguments of the guarded method, or read its body.");
                }
            } catch (IOException e) {
                throw new UncheckedIOException("The form cannot be read", e);
            }
            state = Body.PARSED;
        }
        readByServer();
        return parsed == null ? super.getParameterMap() : parsed;
    }

    @Override
    public Collection<Part> getParts() throws IOException, ServletException {
        readByServer();
        return super.getParts();
    }

    @Override
    public @Nullable Part getPart(String name) throws IOException, ServletException {
        readByServer();
        return super.getPart(name);
    }

    private void readByServer() {
        if (state == Body.UNREAD) {
            state = Body.SERVER;
        }
    }

    /** Parameters of the query come first, as in a form that the server parses. */
    private Map<String, String[]> parse(byte[] form) {
        Map<String, String[]> parameters = new LinkedHashMap<>(super.getParameterMap());
        for (String pair : new String(form, charset()).split("&", -1)) {
            int end = pair.indexOf('=') < 0 ? pair.length() : pair.indexOf('=');
            String value = pair.substring(Math.min(end + 1, pair.length()));
            if (!pair.isEmpty()) {
                parameters.merge(
                        URLDecoder.decode(pair.substring(0, end), charset()),
                        new String[] {URLDecoder.decode(value, charset())},
                        StringUtils::concatenateStringArrays);
            }
        }
        return Collections.unmodifiableMap(parameters);
    }

    private Charset charset() {
        String encoding = getCharacterEncoding();
        return encoding == null ? ISO_8859_1 : Charset.forName(encoding);
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (reader == null) {
            reader = new BufferedReader(new InputStreamReader(getInputStream(), charset()));
        }
        return reader;
    }

    /**
     * Returns the first 64 bits of a SHA-256 digest, equal for equal requests on all machines; null if requests are not compared. Reads the
     * unread rest of the body, unless it is multipart, and keeps it available: from here on the operation holds a claim and a connection,
     * and must not wait for a slow client.
     */
    @Nullable Long fingerprint() throws IOException {
        if (read) {
            return fingerprint;
        }
        Fingerprint digest = new Fingerprint(this, ignoredParameters == null ? List.of() : ignoredParameters);
        String type = Objects.requireNonNullElse(getContentType(), "");
        boolean form = getMethod().equals("POST") && type.startsWith("application/x-www-form-urlencoded");
        boolean multipart = type.startsWith("multipart/form-data");
        byte[] rest = new byte[0];
        if (state == Body.SERVER && (form || multipart)) {
            digest.parameters(getParameterMap());
            if (multipart) {
                digest.texts(parts(), MAX_BODY);
            }
        } else if (state != Body.UNREAD || !multipart) {
            boolean unread = state == Body.UNREAD;
            state = unread ? (form ? Body.COMPARED : Body.STREAM) : state;
            byte[] beginning = body().readAhead(longest);
            if (!unread || !form || !addForm(digest, beginning)) {
                rest = body().digest();
            }
        }
        fingerprint = ignoredParameters == null ? null : digest.end(rest);
        read = true;
        return fingerprint;
    }

    private boolean addForm(Fingerprint digest, byte[] form) throws IOException {
        if (form.length == MAX_BODY || body().isEncoded()) {
            return false;
        }
        try {
            digest.parameters(parse(form));
            return true;
        } catch (IllegalArgumentException e) {
            // an invalid form: its reader reports the error
            return false;
        }
    }

    /** Returns the parts, if the server parses them. */
    private Collection<Part> parts() throws IOException {
        try {
            return getParts();
        } catch (IllegalStateException | ServletException e) {
            return List.of();
        }
    }

    /** Filter that wraps requests with a key, so that they can be read and compared before their guarded method runs. */
    static final class FingerprintFilter extends OncePerRequestFilter {

        private final String keyHeader;
        private final @Nullable List<String> ignoredParameters;
        private final long longest;

        FingerprintFilter(FbfProperties properties) {
            FbfProperties.Fingerprint comparison = properties.fingerprint();
            keyHeader = properties.key().header();
            ignoredParameters = comparison.enabled() ? comparison.ignoredParameters() : null;
            longest = properties.maxStreamedBody().toBytes();
        }

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            if (request.getHeader(keyHeader) == null) {
                chain.doFilter(request, response);
                return;
            }
            FingerprintedRequest fingerprinted = new FingerprintedRequest(request, ignoredParameters, longest);
            request.setAttribute(ATTRIBUTE, fingerprinted);
            try {
                chain.doFilter(fingerprinted, response);
            } finally {
                if (fingerprinted.body != null && !request.isAsyncStarted()) {
                    fingerprinted.body.discard();
                }
            }
        }
    }
}
