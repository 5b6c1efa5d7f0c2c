package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.springframework.util.PatternMatchUtils;

/**
 * Digest of a request's parts: the same for equal requests on every machine, and for the equivalent notations that proxies and clients use.
 * Lengths keep the parts apart.
 */
final class Fingerprint {

    private static final Pattern SESSION = Pattern.compile(";jsessionid=[^;/]*", Pattern.CASE_INSENSITIVE);

    private final StringBuilder text = new StringBuilder();
    private final String[] ignored;

    /**
     * Starts a digest with the method, the path within the application and the query.
     *
     * @param ignored names, or patterns with {@code *}, of parameters to ignore
     */
    Fingerprint(HttpServletRequest request, String[] ignored) {
        this.ignored = ignored;
        add(' ', request.getMethod());
        String context = request.getContextPath();
        String path = request.getRequestURI();
        // the context path includes a proxy's prefix
        String within = path.startsWith(context) ? path.substring(context.length()) : path;
        for (String segment : SESSION.matcher(within).replaceAll("").split("/", -1)) {
            add('/', decoded(segment.replace("+", "%2B")));
        }
        SortedMap<String, List<String>> query = new TreeMap<>();
        for (String pair :
                Objects.requireNonNullElse(request.getQueryString(), "").split("&", -1)) {
            String[] sides = pair.split("=", 2);
            if (!sides[0].isEmpty()) {
                query.computeIfAbsent(decoded(sides[0]), name -> new ArrayList<>())
                        .add(sides.length == 1 ? "" : decoded(sides[1]));
            }
        }
        query.forEach(this::add);
    }

    /** Adds the parameters of the query and the form. */
    void add(Map<String, String[]> parameters) {
        add('?', "");
        new TreeMap<>(parameters).forEach((name, values) -> add(name, Arrays.asList(values)));
    }

    private void add(String name, List<String> values) {
        if (!PatternMatchUtils.simpleMatch(ignored, name)) {
            add('&', name);
            // Spring gives a name of a form without "=" no value
            values.forEach(value -> add('=', Objects.requireNonNullElse(value, "")));
        }
    }

    /** Adds the last part, empty if other parts represent the body, and returns the first 64 bits. */
    long end(byte[] body) {
        MessageDigest digest = sha256();
        digest.update(text.toString().getBytes(UTF_8));
        return ByteBuffer.wrap(digest.digest(body)).getLong();
    }

    private void add(char kind, String part) {
        text.append(kind).append(part.length()).append(':').append(part);
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
