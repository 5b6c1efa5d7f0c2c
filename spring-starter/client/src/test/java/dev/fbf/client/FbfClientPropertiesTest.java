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
        FbfClientProperties properties = new FbfClientProperties();

        assertThat(properties.isApplyToAll()).isFalse();
        assertThat(properties.settings())
                .isEqualTo(new ClientSettings(
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
        FbfClientProperties methods = new FbfClientProperties();
        methods.setMethods(Set.of());
        assertRefused(methods, "fbf.client.methods", "must be some of POST, PATCH, PUT and DELETE, in capitals");

        FbfClientProperties statuses = new FbfClientProperties();
        statuses.setRetriedStatuses(Set.of(503, 600));
        assertRefused(statuses, "fbf.client.retried-statuses", "must be from 400 to 599");

        FbfClientProperties attempts = new FbfClientProperties();
        attempts.setMaxAttempts(0);
        assertRefused(attempts, "fbf.client.max-attempts", "must be at least 1");

        FbfClientProperties delay = new FbfClientProperties();
        delay.setDelay(Duration.ofNanos(999_999));
        assertRefused(delay, "fbf.client.delay", "must be at least 1 ms");

        FbfClientProperties maxDelay = new FbfClientProperties();
        maxDelay.setMaxDelay(Duration.ofMillis(199));
        assertRefused(maxDelay, "fbf.client.max-delay", "must not be less than fbf.client.delay, which is PT0.2S");

        FbfClientProperties window = new FbfClientProperties();
        window.setRetryWindow(Duration.ofMillis(200));
        assertRefused(window, "fbf.client.retry-window", "must be more than fbf.client.delay, which is PT0.2S");

        FbfClientProperties deadline = new FbfClientProperties();
        deadline.setDeadline(Duration.ofMillis(200));
        assertRefused(deadline, "fbf.client.deadline", "must be more than fbf.client.delay, which is PT0.2S");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "Idempotency Key", "Idempotency-Key:", "Schlüssel"})
    void aHeaderOfNoNameIsRefused(String header) {
        FbfClientProperties properties = new FbfClientProperties();
        properties.setHeader(header);
        assertRefused(properties, "fbf.client.header", "must be the name of a header, such as Idempotency-Key");
    }

    private static void assertRefused(FbfClientProperties properties, String name, String range) {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(properties::settings)
                .satisfies(e -> assertThat(e.getName()).isEqualTo(name))
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
