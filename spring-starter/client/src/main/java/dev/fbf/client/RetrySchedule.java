package dev.fbf.client;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.util.backoff.BackOffExecution;

/** Schedule of the attempts of one request. Not thread-safe. */
final class RetrySchedule {

    private static final Pattern SECONDS = Pattern.compile("[0-9]+");

    /** The longest wait, in place of longer ones: 31 years, the largest number of seconds with nine digits. */
    private static final Duration LONGEST = Duration.ofSeconds(999_999_999);

    private final FbfClientProperties settings;
    private final IdempotencyKey key;
    private final BackOffExecution backOff;
    private final long begun = System.nanoTime();

    RetrySchedule(FbfClientProperties settings, IdempotencyKey key) {
        this.settings = settings;
        this.key = key;
        this.backOff = settings.backOff().start();
    }

    /**
     * Returns the delay after a response, in milliseconds.
     *
     * @return {@link BackOffExecution#STOP} if the status shows the operation's outcome, or there is no next attempt
     */
    long delayAfter(int status, HttpHeaders headers) {
        return settings.retriedStatuses().contains(status)
                ? nextDelay(retryAfter(headers, Instant.now()))
                : BackOffExecution.STOP;
    }

    /**
     * Returns the delay before the next attempt, in milliseconds.
     *
     * @param retryAfter the wait that the server requested; zero if it did not
     * @return {@link BackOffExecution#STOP} if there is no next attempt: the maximum is reached, the server requests too long a wait, the
     *     key would be too old, or the deadline would have passed
     */
    long nextDelay(Duration retryAfter) {
        long delay = backOff.nextBackOff();
        if (delay == BackOffExecution.STOP || retryAfter.compareTo(settings.maxDelay()) > 0) {
            return BackOffExecution.STOP;
        }
        long longer = Math.max(delay, retryAfter.toMillis());
        Duration deadline = settings.deadline();
        boolean inTime = deadline == null
                || System.nanoTime() - begun + Duration.ofMillis(longer).toNanos() < deadline.toNanos();
        boolean isYoung = key.age().plusMillis(longer).compareTo(settings.retryWindow()) < 0;
        return inTime && isYoung ? longer : BackOffExecution.STOP;
    }

    /**
     * Reads the header Retry-After (RFC 9110, section 10.2.3), in seconds or as a date.
     *
     * @return the wait; zero if the header is missing or malformed, or the date is past
     */
    static Duration retryAfter(HttpHeaders headers, Instant now) {
        String value = headers.getFirst(HttpHeaders.RETRY_AFTER);
        if (value == null) {
            return Duration.ZERO;
        }
        String seconds = value.strip();
        if (SECONDS.matcher(seconds).matches()) {
            return seconds.length() > 9 ? LONGEST : Duration.ofSeconds(Long.parseLong(seconds));
        }
        try {
            long date = headers.getFirstDate(HttpHeaders.RETRY_AFTER);
            return Duration.ofMillis(Math.max(0, date - now.toEpochMilli()));
        } catch (IllegalArgumentException e) {
            return Duration.ZERO;
        }
    }
}
