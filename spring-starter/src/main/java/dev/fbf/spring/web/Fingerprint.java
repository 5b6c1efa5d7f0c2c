package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.util.MultiValueMap;
import org.springframework.util.PatternMatchUtils;

/**
 * Digest of a request's parts: the same for equal requests on every machine, and for the equivalent notations that proxies and clients use.
 * Lengths keep the parts apart.
 */
final class Fingerprint {

    private static final Pattern SESSION = Pattern.compile(";jsessionid=[^;/]*", Pattern.CASE_INSENSITIVE);

    /** Content types of text that clients send as files: a browser gives a JSON part the file name "blob". */
    private static final Pattern TEXT = Pattern.compile("text/.*|[^/]*/(.*\\+)?(json|xml|yaml)\\b.*");

    private static final int CHUNK = 1 << 13;

    private final MessageDigest digest = sha256();
    private final String[] ignored;

    /**
     * Starts a digest with the method, the path within the application and the query.
     *
     * @param ignored names, or patterns with {@code *}, of parameters to ignore
     */
    Fingerprint(HttpServletRequest request, String[] ignored) {
        this.ignored = ignored;
        add(request.getMethod());
        String context = request.getContextPath();
        String path = request.getRequestURI();
        // the context path includes a proxy's prefix
        String within = path.startsWith(context) ? path.substring(context.length()) : path;
        for (String segment : SESSION.matcher(within).replaceAll("").split("/", -1)) {
            add("/" + decoded(segment.replace("+", "%2B")));
        }
        MultiValueMap<String, String> query = new LinkedMultiValueMap<>();
        if (request.getQueryString() != null) {
            for (String pair : request.getQueryString().split("&", -1)) {
                String[] sides = pair.split("=", 2);
                query.add(decoded(sides[0]), sides.length == 1 ? "" : decoded(sides[1]));
            }
        }
        query.remove("");
        addAll(query);
    }

    /** Adds the parameters of the query and the form. */
    void add(Map<String, String[]> parameters) {
        add("?");
        MultiValueMap<String, String> values = new LinkedMultiValueMap<>();
        parameters.forEach((name, all) -> values.put(name, Arrays.asList(all)));
        addAll(values);
    }

    private void addAll(MultiValueMap<String, String> parameters) {
        new TreeMap<>(parameters).forEach((name, values) -> {
            if (!PatternMatchUtils.simpleMatch(ignored, name)) {
                add("&" + name);
                // Spring gives a name of a form without "=" no value
                values.forEach(value -> add("=" + Objects.requireNonNullElse(value, "")));
            }
        });
    }

    /** Adds the contents of text files, up to a maximum total size in bytes. Parts without a file name are parameters. */
    void add(Collection<Part> parts, int bound) throws IOException {
        int left = bound;
        byte[] chunk = new byte[CHUNK];
        for (Part part : parts.stream()
                .filter(part -> part.getSubmittedFileName() != null && part.getContentType() != null)
                .filter(part -> TEXT.matcher(part.getContentType()).matches())
                .sorted(Comparator.comparing(Part::getName))
                .toList()) {
            add(part.getName());
            try (InputStream content = part.getInputStream()) {
                int length = (int) Math.min(left, part.getSize());
                add(String.valueOf(length));
                left -= length;
                for (int count; length > 0 && (count = content.read(chunk, 0, Math.min(CHUNK, length))) > 0; ) {
                    digest.update(chunk, 0, count);
                    length -= count;
                }
            }
        }
    }

    /** Adds the last part, empty if other parts represent the body, and returns the first 64 bits. */
    long end(byte[] body) {
        return ByteBuffer.wrap(digest.digest(body)).getLong();
    }

    /** Returns the first 64 bits of the digest of some bytes. */
    static long of(byte[] bytes) {
        return ByteBuffer.wrap(sha256().digest(bytes)).getLong();
    }

    private void add(String part) {
        byte[] bytes = part.getBytes(UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
        digest.update(bytes);
    }

    /** Decodes a text of a URL, because it has several encodings; unchanged if an escape is invalid. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
        }
    }
}
