package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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
    void everyPropertyHasADescriptionAndItsDefaultInTheMetadata() throws IOException {
        Map<String, JsonNode> metadata = metadata();

        Map<String, String> defaults = new HashMap<>();
        metadata.forEach((name, property) ->
                defaults.put(name, property.path("defaultValue").toString()));
        assertThat(defaults)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "fbf.client.deadline", "",
                        "fbf.client.apply-to-all", "false",
                        "fbf.client.header", "\"Idempotency-Key\"",
                        "fbf.client.methods", "[\"POST\",\"PATCH\"]",
                        "fbf.client.retried-statuses", "[409,502,503,504]",
                        "fbf.client.max-attempts", "5",
                        "fbf.client.delay", "\"200ms\"",
                        "fbf.client.max-delay", "\"10s\"",
                        "fbf.client.retry-window", "\"9m\""));
        assertThat(metadata.values())
                .allSatisfy(property ->
                        assertThat(property.path("description").asString()).endsWith("."));
    }

    @Test
    void aValueOutOfRangeIsRefusedByItsPropertysName() {
        assertRefused("methods=", "must be any of POST, PATCH, PUT and DELETE, in capitals");
        assertRefused("methods=post", "must be any of POST, PATCH, PUT and DELETE, in capitals");
        assertRefused("retried-statuses=503, 600", "must be from 400 to 599");
        assertRefused("max-attempts=0", "must be at least 1");
        assertRefused("delay=999999ns", "must be at least 1 ms");
        assertRefused("max-delay=199ms", "must not be less than fbf.client.delay, which is 200 ms");
        assertRefused("retry-window=200ms", "must be more than fbf.client.delay, which is 200 ms");
        assertRefused("deadline=200ms", "must be more than fbf.client.delay, which is 200 ms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "Idempotency Key", "Idempotency-Key:", "Schlüssel"})
    void aHeaderOfNoNameIsRefused(String header) {
        assertRefused("header=" + header, "must be the name of a header, such as Idempotency-Key");
    }

    private static void assertRefused(String line, String range) {
        FbfClientProperties properties = ClientProperties.of(line);
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(properties::checked)
                .satisfies(e -> assertThat(e.getName()).isEqualTo("fbf.client." + line.split("=", 2)[0]))
                .withMessageContaining(range);
    }

    private static Map<String, JsonNode> metadata() throws IOException {
        try (InputStream json = Objects.requireNonNull(
                FbfClientProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            JsonNode properties = JsonMapper.builder().build().readTree(json).path("properties");
            return StreamSupport.stream(properties.spliterator(), false)
                    .collect(Collectors.toMap(property -> property.path("name").asString(), property -> property));
        }
    }
}
