package dev.fbf.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ms",
        "PT0.338105082S, 338 ms",
        "PT1S, 1 s",
        "PT15.76103819S, 15.8 s",
        "PT59.999S, 60 s",
        "PT10M, 10 min",
        "PT9M57.6S, 9 min 58 s",
        "PT1H0M5S, 1 h 5 s",
        "PT720H, 30 d",
        "P1DT2H3M4S, 1 d 2 h 3 min 4 s",
        "PT-1M, -1 min"
    })
    void hasUnitsForPeople(Duration time, String text) {
        assertThat(DurationText.of(time)).isEqualTo(text);
    }
}
