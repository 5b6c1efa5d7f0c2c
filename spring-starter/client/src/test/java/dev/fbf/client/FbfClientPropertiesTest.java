package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.http.HttpMethod;

class FbfClientPropertiesTest {

    @Test
    void defaultValuesAreConsistent() {
        assertThat(ClientProperties.of().checked())
                .isEqualTo(new FbfClientProperties(
                        false,
                        "Idempotency-Key",
                        Set.of(HttpMethod.POST, HttpMethod.PATCH),
                        Set.of(409, 502, 503, 504),
                        5,
                        Duration.ofMillis(200),
                        Duration.ofSeconds(10),
                        Duration.ofMinutes(9),
                        null));
    }

    @Test
    void aValueOutOfRangeIsRefusedByItsPropertysName() {
        assertRefused("methods=", "must be any of POST, PATCH, PUT and DELETE, in capitals");
        assertRefused("methods=post", "must be any of POST, PATCH, PUT and DELETE, in capitals");
        assertRefused("delay=999999ns", "must be at least 1 ms");
    }

    private static void assertRefused(String line, String range) {
        FbfClientProperties properties = ClientProperties.of(line);
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(properties::checked)
                .satisfies(e -> assertThat(e.getName()).isEqualTo("fbf.client." + line.split("=", 2)[0]))
                .withMessageContaining(range);
    }
}
