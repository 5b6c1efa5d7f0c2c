package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A request that can tell 64 bits of itself: of its method, its path and query, and its body. Of a form, which the server
 * reads itself, the parameters stand for the body.
 */
final class FingerprintedRequest extends HttpServletRequestWrapper {

    private final int maxBody;

    private @Nullable FingerprintedBody body;
    private @Nullable BufferedReader reader;
    private @Nullable Long fingerprint;

    FingerprintedRequest(HttpServletRequest request, int maxBody) {
        super(request);
        this.maxBody = maxBody;
    }

    @Override
    public ServletInputStream getInputStream() throws IOException {
        if (body == null) {
            body = new FingerprintedBody(super.getInputStream(), maxBody);
        }
        return body;
    }

    @Override
    public BufferedReader getReader() throws IOException {
        if (reader == null) {
            String encoding = getCharacterEncoding();
            reader = new BufferedReader(
                    new InputStreamReader(getInputStream(), encoding == null ? ISO_8859_1 : Charset.forName(encoding)));
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
                if (body == null && isForm()) {
                    updateWithParameters(digest);
                } else {
                    digest.update(((FingerprintedBody) getInputStream()).digest());
                }
            } catch (IOException e) {
                throw new UncheckedIOException("The body of the request cannot be read", e);
            }
            fingerprint = ByteBuffer.wrap(digest.digest()).getLong();
        }
        return fingerprint;
    }

    private boolean isForm() {
        String type = getContentType();
        return type != null
                && (type.startsWith("application/x-www-form-urlencoded") || type.startsWith("multipart/form-data"));
    }

    private void updateWithParameters(MessageDigest digest) {
        for (Map.Entry<String, String[]> parameter : new TreeMap<>(getParameterMap()).entrySet()) {
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
