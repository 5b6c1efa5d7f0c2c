package dev.fbf.client;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** Parser of the wait that a server requests (RFC 9110, section 10.2.3). */
final class RetryAfter {

    private static final Pattern SECONDS = Pattern.compile("[0-9]+");

    /** The longest wait, in place of longer ones: 31 years, the largest number of seconds with nine digits. */
    private static final Duration LONGEST = Duration.ofSeconds(999_999_999);

    private RetryAfter() {}

    /**
     * Reads the header Retry-After, in seconds or as a date.
     *
     * @return the wait, not negative; null if the header is missing or malformed
     */
    static @Nullable Duration of(HttpHeaders headers, Instant now) {
        String value = headers.getFirst(HttpHeaders.RETRY_AFTER);
        if (value == null) {
            return null;
        }
        String seconds = value.strip();
        if (SECONDS.matcher(seconds).matches()) {
            return seconds.length() > 9 ? LONGEST : Duration.ofSeconds(Long.parseLong(seconds));
        }
        try {
            long date = headers.getFirstDate(HttpHeaders.RETRY_AFTER);
            return date == -1 ? null : Duration.ofMillis(Math.max(0, date - now.toEpochMilli()));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
