package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.springframework.util.PatternMatchUtils;
import org.springframework.util.StreamUtils;

/**
 * Digest of a request's parts: the same for equal requests on every machine, and for the equivalent notations that proxies and clients use.
 * Lengths keep the parts apart.
 */
final class Fingerprint {

    private static final Pattern SESSION = Pattern.compile(";jsessionid=[^;/]*", Pattern.CASE_INSENSITIVE);

    /** Content types of text that clients send as files: a browser gives a JSON part the file name "blob". */
    private static final Pattern TEXT = Pattern.compile("text/.*|[^/]*/(.*\\+)?(json|xml|yaml)\\b.*");

    private final MessageDigest digest = sha256();
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
            query.computeIfAbsent(decoded(sides[0]), name -> new ArrayList<>())
                    .add(sides.length == 1 ? "" : decoded(sides[1]));
        }
        query.remove("");
        add(query);
    }

    /** Adds the parameters of the query and the form. */
    void add(Map<String, String[]> parameters) {
        SortedMap<String, List<String>> form = new TreeMap<>();
        parameters.forEach((name, values) -> form.put(name, Arrays.asList(values)));
        add('?', "");
        add(form);
    }

    private void add(SortedMap<String, List<String>> parameters) {
        parameters.forEach((name, values) -> {
            if (!PatternMatchUtils.simpleMatch(ignored, name)) {
                add('&', name);
                // Spring gives a name of a form without "=" no value
                values.forEach(value -> add('=', Objects.requireNonNullElse(value, "")));
            }
        });
    }

    /** Adds the contents of text files, up to a maximum total size in bytes. Parts without a file name are parameters. */
    void add(Collection<Part> parts, int bound) throws IOException {
        long left = bound;
        OutputStream content = new DigestOutputStream(OutputStream.nullOutputStream(), digest);
        for (Part part : parts.stream()
                .filter(part -> part.getSubmittedFileName() != null && part.getContentType() != null)
                .filter(part -> TEXT.matcher(part.getContentType()).matches())
                .sorted(Comparator.comparing(Part::getName))
                .toList()) {
            long length = Math.min(left, part.getSize());
            left -= length;
            add('#', part.getName());
            add('=', Long.toString(length));
            digestText();
            try (InputStream bytes = part.getInputStream()) {
                StreamUtils.copyRange(bytes, content, 0, length - 1);
            }
        }
    }

    /** Adds the last part, empty if other parts represent the body, and returns the first 64 bits. */
    long end(byte[] body) {
        digestText();
        return ByteBuffer.wrap(digest.digest(body)).getLong();
    }

    /** Returns the first 64 bits of the digest of some bytes. */
    static long of(byte[] bytes) {
        return ByteBuffer.wrap(sha256().digest(bytes)).getLong();
    }

    private void add(char kind, String part) {
        text.append(kind).append(part.length()).append(':').append(part);
    }

    private void digestText() {
        digest.update(text.toString().getBytes(UTF_8));
        text.setLength(0);
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
