package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.TimedKeys;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTimeTest {

    /** The example of RFC 9562, appendix A.6. */
    private static final String UUID = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F";

    /** The example of the ULID specification. */
    private static final String ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

    @Test
    void readsTheTimeOfAUuidOfVersion7() {
        Instant time = Instant.parse("2022-02-22T19:22:22Z");

        assertThat(KeyTime.of(UUID)).isEqualTo(time);
        assertThat(KeyTime.of(UUID.toLowerCase(Locale.ROOT))).isEqualTo(time);
        assertThat(KeyTime.of(TimedKeys.uuid(time.plusMillis(1)))).isEqualTo(time.plusMillis(1));
    }

    @Test
    void readsTheTimeOfAUlid() {
        Instant time = Instant.ofEpochMilli(1469922850259L);

        assertThat(KeyTime.of(ULID)).isEqualTo(time);
        assertThat(KeyTime.of(ULID.toLowerCase(Locale.ROOT))).isEqualTo(time);
        assertThat(KeyTime.of(TimedKeys.ulid(time.plusMillis(1)))).isEqualTo(time.plusMillis(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8e03978e-40d5-43dd-bc93-6894a57f9324", // version 4
                "017F22E2-79B0-6CC3-98C4-DC0C0C07398F", // version 6
                "017F22E2-79B0-7CC3-78C4-DC0C0C07398F", // no variant of RFC 9562
                "017F22E2-79B0-7CC3-C8C4-DC0C0C07398F",
                "017F22E279B07CC398C4DC0C0C07398F", // no hyphens
                "ship-017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
                "017F22E2-79B0-7CC3-98C4-DC0C0C07398G",
                "81ARZ3NDEKTSV4RRFFQ69G5FAV", // more than 48 bits
                "01ARZ3NDEKTSV4RRFFQ69G5FA", // too short
                "01ARZ3NDEKTSV4RRFFQ69G5FAVA",
                "01ARZ3NDEKTSV4RRFFQ69G5FAI", // letters that Crockford left out
                "01ARZ3NDEKTSV4RRFFQ69G5FAL",
                "01ARZ3NDEKTSV4RRFFQ69G5FAO",
                "01ARZ3NDEKTSV4RRFFQ69G5FAU",
                "01ARZ3NDEKTSV4RRFFQ69G5FA-",
                "key-1"
            })
    void anyOtherKeyHasNoTime(String key) {
        assertThat(KeyTime.of(key)).isNull();
    }
}
