package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;

class RetryAfterTest {

    private static final Instant NOW = Instant.parse("2026-11-21T16:05:30Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | PT0S",
                "120 | PT2M",
                "' 7 ' | PT7S",
                "999999999 | PT999999999S",
                "1000000000 | PT999999999S",
                "99999999999999999999 | PT999999999S",
                "Sat, 21 Nov 2026 16:05:37 GMT | PT7S",
                "Saturday, 21-Nov-26 16:05:37 GMT | PT7S",
                "Sat Nov 21 16:05:37 2026 | PT7S",
                "Sat, 21 Nov 2026 16:05:29 GMT | PT0S"
            })
    void secondsAndTheThreeFormatsOfDatesAreRead(String value, Duration wait) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.RETRY_AFTER, value);

        assertThat(RetrySchedule.retryAfter(headers, NOW)).isEqualTo(wait);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1.5", "soon", "21 Nov 2026"})
    void whatIsMalformedIsIgnored(String value) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.RETRY_AFTER, value);

        assertThat(RetrySchedule.retryAfter(headers, NOW)).isZero();
    }
}
