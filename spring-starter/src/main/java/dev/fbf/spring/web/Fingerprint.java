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
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.PatternMatchUtils;

/**
 * A digest of a request's parts: the same for the same request, on every machine, and another one for another request. Each part comes
 * after its length, and each list of parts after their number. What proxies and clients write in several ways counts once.
 */
final class Fingerprint {

    private static final Pattern SESSION = Pattern.compile(";jsessionid=[^;/]*", Pattern.CASE_INSENSITIVE);

    /** Types of text that clients send as files: a browser gives a part of JSON the file name "blob". */
    private static final Pattern TEXT = Pattern.compile("text/.*|[^/]*/(.*\\+)?(json|xml|yaml)\\b.*");

    private static final int HEXADECIMAL = 16;

    private final MessageDigest digest = sha256();
    private final String[] ignored;

    /** @param ignored names of parameters of the query or of a form that do not count, or patterns of names with {@code *} */
    Fingerprint(Collection<String> ignored) {
        this.ignored = ignored.toArray(String[]::new);
    }

    /** Adds the method, the path within the application and the query. */
    Fingerprint target(HttpServletRequest request) {
        add(request.getMethod().getBytes(UTF_8));
        String context = request.getContextPath();
        String path = request.getRequestURI();
        // a proxy's prefix is a part of the context
        add(list(
                        SESSION.matcher(path.startsWith(context) ? path.substring(context.length()) : path)
                                .replaceAll(""),
                        "/")
                .map(segment -> decode(segment, false))
                .toList());
        List<byte[][]> query = list(request.getQueryString(), "&")
                .filter(pair -> !pair.isEmpty())
                .map(pair -> pair.split("=", 2))
                .map(pair -> new byte[][] {decode(pair[0], true), decode(pair.length == 1 ? "" : pair[1], true)})
                .filter(pair -> counts(new String(pair[0], UTF_8)))
                .sorted(Comparator.comparing(pair -> pair[0], Arrays::compare))
                .toList();
        add(query.stream().flatMap(Stream::of).toList());
        return this;
    }

    /** Adds the parameters of a form. */
    Fingerprint parameters(Map<String, String[]> parameters) {
        TreeMap<String, String[]> compared = new TreeMap<>(parameters);
        compared.keySet().removeIf(name -> !counts(name));
        add(compared.size());
        compared.forEach((name, values) -> {
            add(name.getBytes(UTF_8));
            add(Stream.of(values).map(value -> value.getBytes(UTF_8)).toList());
        });
        return this;
    }

    /** Adds the parts that are text, up to a bound; those without a file name are parameters. */
    Fingerprint texts(Collection<Part> parts, int bound) throws IOException {
        int left = bound;
        for (Part part : parts.stream()
                .filter(part -> part.getSubmittedFileName() != null && part.getContentType() != null)
                .filter(part -> TEXT.matcher(part.getContentType()).matches())
                .sorted(Comparator.comparing(Part::getName))
                .toList()) {
            add(part.getName().getBytes(UTF_8));
            try (InputStream content = part.getInputStream()) {
                byte[] text = content.readNBytes(left);
                add(text);
                left -= text.length;
            }
        }
        return this;
    }

    /** Adds the last part. */
    Fingerprint body(byte[] body) {
        digest.update(body);
        return this;
    }

    /** Returns the first 64 bits. */
    long value() {
        return ByteBuffer.wrap(digest.digest()).getLong();
    }

    private boolean counts(String parameter) {
        return !PatternMatchUtils.simpleMatch(ignored, parameter);
    }

    private static Stream<String> list(@Nullable String text, String separator) {
        return text == null ? Stream.empty() : Stream.of(text.split(separator, -1));
    }

    /** Undoes the encoding of a URL, of which there are several for one text; what is not such an encoding stays. */
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
