package dev.fbf.spring.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fbf.db.Response;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** The headers of one response that are kept for its retries, as the application has set them. */
final class KeptHeaders {

    private final Set<String> wanted;
    private final Map<String, List<String>> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final Set<String> others = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    /** @param wanted names, in a set that ignores case */
    KeptHeaders(Set<String> wanted) {
        this.wanted = wanted;
    }

    void set(String name, String value) {
        set(name, List.of(value));
    }

    void set(String name, Collection<String> now) {
        if (wanted.contains(name)) {
            values.put(name, List.copyOf(now));
        } else {
            others.add(name);
        }
    }

    void clear() {
        values.clear();
        others.clear();
    }

    /** The names of the headers that were set and are not wanted. */
    Set<String> others() {
        return others;
    }

    /**
     * Returns them as a {@link Response} has them; null if HTTP cannot carry one of the values.
     *
     * @param contentType null if there is none
     * @param contentLength as the application has announced it; negative if it has not
     */
    @Nullable String lines(@Nullable String contentType, long contentLength) {
        Map<String, List<String>> all = new LinkedHashMap<>();
        if (contentType != null) {
            all.put(HttpHeaders.CONTENT_TYPE, List.of(contentType));
        }
        if (contentLength >= 0) {
            all.put(HttpHeaders.CONTENT_LENGTH, List.of(Long.toString(contentLength)));
        }
        all.putAll(values);
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, List<String>> header : all.entrySet()) {
            for (String value : header.getValue()) {
                if (!value.chars().allMatch(KeptHeaders::isCarried)) {
                    return null;
                }
                lines.append(header.getKey()).append(": ").append(value).append('\n');
            }
        }
        return lines.toString();
    }

    /** Whether a character can be part of a value, as one byte: RFC 9110, section 5.5. */
    private static boolean isCarried(int character) {
        return character == '\t' || (character >= ' ' && character != 0x7f && character <= 0xff);
    }

    /** Sends a response as its handler did: filters find the same, so that they do the same to it. */
    static void send(Response recorded, HttpServletResponse response) throws IOException {
        response.setStatus(recorded.status());
        Set<String> seen = new HashSet<>();
        recorded.headers().lines().forEach(line -> {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon);
            String value = line.substring(colon + 2);
            if (name.equals(HttpHeaders.CONTENT_TYPE)) {
                response.setContentType(value);
            } else if (seen.add(name)) {
                response.setHeader(name, value);
            } else {
                response.addHeader(name, value);
            }
        });
        switch (recorded.ending()) {
            case RETURNED -> response.getOutputStream().write(recorded.body());
            case FLUSHED -> {
                response.getOutputStream().write(recorded.body());
                response.flushBuffer();
            }
            case CLOSED -> {
                response.getOutputStream().write(recorded.body());
                response.getOutputStream().close();
            }
            case REDIRECTED -> response.sendRedirect(new String(recorded.body(), UTF_8), recorded.status());
            case ERROR -> {
                String message = new String(recorded.body(), UTF_8);
                response.sendError(recorded.status(), message.isEmpty() ? null : message);
            }
        }
    }
}
