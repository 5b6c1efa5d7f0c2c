package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.util.PatternMatchUtils;

/**
 * Digest of a request's parts: the same for equal requests on every machine, and for the equivalent notations that proxies and clients use.
 * Lengths keep the parts apart.
 */
final class Fingerprint {

    private static final Pattern SESSION = Pattern.compile(";jsessionid=[^;/]*", Pattern.CASE_INSENSITIVE);

    /** Content types of text that clients send as files: a browser gives a JSON part the file name "blob". */
    private static final Pattern TEXT = Pattern.compile("text/.*|[^/]*/(.*\\+)?(json|xml|yaml)\\b.*");

    private static final int HEXADECIMAL = 16;

    private static final int CHUNK = 1 << 13;

    /** Parameters of which each try can have another value. */
    private static final List<String> IGNORED =
            List.of("_", "_csrf", "_ga", "_gl", "fbclid", "gclid", "msclkid", "traceparent", "tracestate", "utm_*");

    private final MessageDigest digest = sha256();
    private final String[] ignored;

    /**
     * Starts a digest with the method, the path within the application and the query.
     *
     * @param ignored names, or patterns with {@code *}, of further parameters to ignore
     */
    Fingerprint(HttpServletRequest request, Collection<String> ignored) {
        this.ignored = Stream.concat(IGNORED.stream(), ignored.stream()).toArray(String[]::new);
        add(request.getMethod());
        String context = request.getContextPath();
        String path = request.getRequestURI();
        // the context path includes a proxy's prefix
        String within = path.startsWith(context) ? path.substring(context.length()) : path;
        add(Stream.of(SESSION.matcher(within).replaceAll("").split("/", -1))
                .map(segment -> decode(segment, false))
                .toList());
        List<byte[][]> query = new ArrayList<>();
        for (String pair : request.getQueryString() == null
                ? new String[0]
                : request.getQueryString().split("&")) {
            String[] sides = pair.split("=", 2);
            byte[] name = decode(sides[0], true);
            if (!pair.isEmpty() && counts(new String(name, UTF_8))) {
                query.add(new byte[][] {name, decode(sides.length == 1 ? "" : sides[1], true)});
            }
        }
        query.sort(Comparator.comparing(pair -> pair[0], Arrays::compare));
        add(query.stream().flatMap(Stream::of).toList());
    }

    /** Adds the parameters of the query and the form. */
    Fingerprint parameters(Map<String, String[]> parameters) {
        List<Map.Entry<String, String[]>> compared = parameters.entrySet().stream()
                .filter(parameter -> counts(parameter.getKey()))
                .sorted(Map.Entry.comparingByKey())
                .toList();
        add(compared.size());
        for (Map.Entry<String, String[]> parameter : compared) {
            add(parameter.getKey());
            add(parameter.getValue().length);
            for (String value : parameter.getValue()) {
                // Spring gives a name without "=" no value
                add(Objects.requireNonNullElse(value, ""));
            }
        }
        return this;
    }

    /** Adds the contents of text files, up to a maximum total size in bytes. Parts without a file name are parameters. */
    void texts(Collection<Part> parts, int bound) throws IOException {
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
                add(length);
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
        return first(digest.digest(body));
    }

    /** Returns the first 64 bits of the digest of some bytes. */
    static long of(byte[] bytes) {
        return first(sha256().digest(bytes));
    }

    private static long first(byte[] digest) {
        return ByteBuffer.wrap(digest).getLong();
    }

    private boolean counts(String parameter) {
        return !PatternMatchUtils.simpleMatch(ignored, parameter);
    }

    /** Decodes a URL, because a text has several encodings. Leaves invalid escapes unchanged. */
    private static byte[] decode(String text, boolean spaces) {
        byte[] encoded = text.getBytes(UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(encoded.length);
        for (int i = 0; i < encoded.length; i++) {
            int high = i + 2 < encoded.length && encoded[i] == '%' ? Character.digit(encoded[i + 1], HEXADECIMAL) : -1;
            int low = high < 0 ? -1 : Character.digit(encoded[i + 2], HEXADECIMAL);
            if (low >= 0) {
                decoded.write(high * HEXADECIMAL + low);
                i += 2;
            } else {
                decoded.write(spaces && encoded[i] == '+' ? ' ' : encoded[i]);
            }
        }
        return decoded.toByteArray();
    }

    private void add(List<byte[]> parts) {
        add(parts.size());
        parts.forEach(this::add);
    }

    private void add(String part) {
        add(part.getBytes(UTF_8));
    }

    private void add(byte[] part) {
        add(part.length);
        digest.update(part);
    }

    private void add(int number) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, number));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256, but this one does not", e);
        }
    }
}
