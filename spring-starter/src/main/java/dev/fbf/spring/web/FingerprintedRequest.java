package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.Part;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request that can tell 64 bits of itself: of its method, its path and query, and its body. The parameters of a form stand for its body.
 */
final class FingerprintedRequest extends HttpServletRequestWrapper {

    /* A server reads a form when the first parameter is asked for, and not if the stream has been. The comparison comes between the
     * arguments of a method and the method itself, which may ask for the one or the other; so it reads a form that nobody has read, and
     * leaves it to both:
     *
     *   UNREAD -> SERVER               parameters or parts are asked for
     *   UNREAD -> STREAM               the stream is asked for: the server has no parameters of the body
     *   UNREAD -> COMPARED -> PARSED   the form is compared; then parameters are asked for */
    private enum Body {
        UNREAD,
        SERVER,
        STREAM,
        COMPARED,
        PARSED
    }

    /** As much as Tomcat reads of a form. */
    private static final int MAX_FORM = 2 << 20;

    private final int maxBody;

    private Body state = Body.UNREAD;
    private @Nullable FingerprintedBody body;
    private @Nullable Map<String, String[]> parsed;
    private @Nullable BufferedReader reader;
    private @Nullable Long fingerprint;

    FingerprintedRequest(HttpServletRequest request, int maxBody) {
        super(request);
        this.maxBody = maxBody;
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
            body = new FingerprintedBody(super.getInputStream(), maxBody);
        }
        return body;
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = parsed() == null ? null : parsed().get(name);
        return parsed() == null ? super.getParameter(name) : values == null ? null : values[0];
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        return parsed() == null ? super.getParameterValues(name) : parsed().get(name);
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return parsed() == null ? super.getParameterNames() : Collections.enumeration(parsed().keySet());
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        return parsed() == null ? super.getParameterMap() : parsed();
    }

    /** The parameters, if the form was compared before anybody asked for them; null if the server has them. */
    private @Nullable Map<String, String[]> parsed() {
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
        return parsed;
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

    /** The parameters of the query come first, as in a form that the server reads. */
    private Map<String, String[]> parse(byte[] form) {
        Map<String, String[]> parameters = new LinkedHashMap<>(super.getParameterMap());
        for (String pair : new String(form, charset()).split("&", -1)) {
            int end = pair.indexOf('=') < 0 ? pair.length() : pair.indexOf('=');
            String value = pair.substring(Math.min(end + 1, pair.length()));
            if (!pair.isEmpty()) {
                parameters.merge(
                        URLDecoder.decode(pair.substring(0, end), charset()),
                        new String[] {URLDecoder.decode(value, charset())},
                        FingerprintedRequest::join);
            }
        }
        return Collections.unmodifiableMap(parameters);
    }

    private static String[] join(String[] first, String[] second) {
        return Stream.of(first, second).flatMap(Stream::of).toArray(String[]::new);
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
     * Returns the first 64 bits of a SHA-256 digest, the same for the same request, on every machine. Reads of the body what
     * nobody has read yet, up to the bound, and leaves it to be read.
     */
    long fingerprint() {
        if (fingerprint == null) {
            MessageDigest digest = sha256();
            update(digest, getMethod());
            update(digest, getRequestURI());
            update(digest, String.valueOf(getQueryString()));
            try {
                updateWithBody(digest);
            } catch (IOException e) {
                throw new UncheckedIOException("The body of the request cannot be read", e);
            }
            fingerprint = ByteBuffer.wrap(digest.digest()).getLong();
        }
        return fingerprint;
    }

    private void updateWithBody(MessageDigest digest) throws IOException {
        boolean form = getMethod().equals("POST") && hasType("application/x-www-form-urlencoded");
        boolean multipart = hasType("multipart/form-data");
        if (state == Body.SERVER && (form || multipart)) {
            updateWith(digest, getParameterMap());
        } else if (state == Body.UNREAD && form) {
            state = Body.COMPARED;
            updateWithForm(digest);
        } else if (state != Body.UNREAD || !multipart) {
            digest.update(((FingerprintedBody) getInputStream()).digest());
        }
    }

    private boolean hasType(String type) {
        return getContentType() != null && getContentType().startsWith(type);
    }

    private void updateWithForm(MessageDigest digest) throws IOException {
        byte[] form = body().lookAhead();
        if (form.length < maxBody) {
            try {
                updateWith(digest, parse(form));
                return;
            } catch (IllegalArgumentException e) {
                // not a valid form: its reader reports that
            }
        }
        digest.update(form);
    }

    private static void updateWith(MessageDigest digest, Map<String, String[]> parameters) {
        for (Map.Entry<String, String[]> parameter : new TreeMap<>(parameters).entrySet()) {
            update(digest, parameter.getKey());
            for (String value : parameter.getValue()) {
                update(digest, value);
            }
        }
    }

    private static void update(MessageDigest digest, String part) {
        byte[] bytes = part.getBytes(UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
        digest.update(bytes);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
        }
    }
}
