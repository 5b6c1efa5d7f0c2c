package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.plan.FilterSizing;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import dev.fbf.spring.Rows;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FbfPropertiesTest {

    @Test
    void defaultValuesAreConsistent() {
        FbfProperties properties = BoundProperties.of();

        assertThat(properties.enabled()).isTrue();
        assertThat(properties.directory()).isEqualTo(Path.of("fbf-data"));
        assertThat(anyOf(properties).sizing(false)).isEqualTo(FilterSizing.DEFAULT);
        assertThat(properties.maxSize()).isNull();
        assertThat(anyOf(properties).plan(false))
                .isEqualTo(FilterSizing.DEFAULT.plan().withDefaultLimit());
        assertThat(properties.mode()).isEqualTo(Mode.LEDGER);
        assertThat(properties.afterPowerFailure()).isEqualTo(FbfProperties.AfterPowerFailure.WARN);
        assertThat(properties.maxClaims()).isEqualTo(4096);
        assertThat(properties.key().header()).isEqualTo("Idempotency-Key");
        assertThat(properties.key().requireTime()).isFalse();
        assertThat(anyOf(properties).maxSkew()).isEqualTo(Duration.ofMinutes(1));
        assertThat(properties.schema().migrate()).isTrue();
        assertThat(properties.schema().name()).isNull();
        assertThat(properties.counters().timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(properties.fingerprint().enabled()).isTrue();
        assertThat(properties.scopes()).isEmpty();
    }

    @Test
    void requestsAreComparedUnlessAllScopesOrTheirOwnSayOtherwise() {
        assertThat(comparesRequests()).isTrue();
        assertThat(comparesRequests("fbf.scopes.any.fingerprint.enabled=false")).isFalse();
        assertThat(comparesRequests("fbf.fingerprint.enabled=false")).isFalse();
        assertThat(comparesRequests("fbf.fingerprint.enabled=false", "fbf.scopes.any.fingerprint.enabled=true"))
                .isTrue();
    }

    @Test
    void everyPropertyHasADescriptionAndItsDefaultInTheMetadata() {
        Map<String, JsonNode> metadata = metadata();

        assertThat(metadata.values()).allSatisfy(property -> {
            assertThat(property.path("description").asString()).endsWith(".");
            // these depend on others, unless they are told; no scope differs
            assertThat(property.has("defaultValue"))
                    .isNotEqualTo(Set.of(
                                    "fbf.max-size",
                                    "fbf.key.max-skew",
                                    "fbf.schema.name",
                                    "fbf.scopes",
                                    "fbf.fingerprint.ignored-parameters")
                            .contains(property.path("name").asString()));
        });
        FilterSizing defaults = FilterSizing.DEFAULT;
        assertThat(defaultValue(metadata, "fbf.expected-operations-per-second").asDouble())
                .isEqualTo(defaults.expectedOperationsPerSecond());
        assertThat(defaultValue(metadata, "fbf.retry-window").asString())
                .isEqualTo(defaults.retryWindow().toMinutes() + "m");
        assertThat(defaultValue(metadata, "fbf.false-positive-probability").asDouble())
                .isEqualTo(defaults.falsePositiveProbability());
        assertThat(defaultValue(metadata, "fbf.responses.headers").asString().split(", "))
                .containsExactlyElementsOf(BoundProperties.of().responses().headers());
    }

    @Test
    void aValueOutOfRangeIsRefusedByItsPropertysName() {
        assertRefused("must be from 0.001 to 1.0E7", "fbf.expected-operations-per-second=NaN", "fbf.mode=filter");

        assertRefused("must be at least 1 s", "fbf.retry-window=-1s", "fbf.mode=filter");
        assertRefused("to 30 d", "fbf.retry-window=31d", "fbf.mode=filter");
        assertRefused("must be at most 365 d", "fbf.retry-window=366d");
        assertRefused("must be from 1.0E-12 to 0.1", "fbf.false-positive-probability=0", "fbf.mode=filter");
        assertRefused("must be at least 65536", "fbf.max-size=-1B", "fbf.mode=filter");
        assertRefused("must be at least 1", "fbf.max-claims=0");
        assertRefused("must be more than 0", "fbf.counters.timeout=0s");
        assertRefused("must be from 0 to 2147483647 bytes", "fbf.responses.max-body=2GB");
    }

    @Test
    void namesOfOtherModulesAndOfTheSystemsEnvironmentAreNotRefused() {
        MockEnvironment environment = new MockEnvironment()
                .withProperty("fbf.client.delay", "1s")
                .withProperty("fbf.cassandra.lanes", "2")
                .withProperty("fbf.responses.headers[0]", "ETag")
                .withProperty("fbf.scopes[a.b].key.require-time", "true");
        environment
                .getPropertySources()
                .addLast(new SystemEnvironmentPropertySource("systemEnvironment", Map.of("FBF_NODES", "single")));
        PropertyChecks.requireKnown(environment);

        environment.setProperty("fbf.nodes", "single");
        assertThatExceptionOfType(BindException.class)
                .isThrownBy(() -> PropertyChecks.requireKnown(environment))
                .havingRootCause()
                .withMessage("The elements [fbf.nodes] were left unbound.");
    }

    @Test
    void theSkewIsATenthOfAShortWindowUnlessItIsSet() {
        assertThat(skew("fbf.retry-window=2s")).isEqualTo(Duration.ofMillis(200));
        assertThat(skew("fbf.retry-window=1d")).isEqualTo(Duration.ofMinutes(1));
        assertThat(skew("fbf.retry-window=1d", "fbf.key.max-skew=1h")).isEqualTo(Duration.ofHours(1));
    }

    private static void requireValid(FbfProperties properties) {
        new Scopes(properties, InstantSource.system(), new Declarations()).requireValid(ScopeDefinition::mode);
    }

    private static boolean comparesRequests(String... lines) {
        FbfProperties properties = BoundProperties.of(lines);
        boolean compared = anyOf(properties).comparesRequests();
        assertThat(new Scopes(properties, InstantSource.system(), new Declarations()).compareRequests())
                .isEqualTo(compared || properties.fingerprint().enabled());
        return compared;
    }

    private static ScopeDefinition anyOf(FbfProperties properties) {
        return new ScopeDefinition("any", properties, InstantSource.system(), null);
    }

    private static Duration skew(String... lines) {
        FbfProperties properties = BoundProperties.of(lines);
        requireValid(properties);
        return anyOf(properties).maxSkew();
    }

    @Test
    void aSkewOfTheWholeWindowIsRefused() {
        assertRefused("must be less than fbf.retry-window, which is 10 min", "fbf.key.max-skew=10m");
        assertRefused("must not be negative", "fbf.key.max-skew=-1ms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "Idempotency Key", "Idempotency-Key:", "Schlüssel"})
    void aHeaderOfNoNameIsRefused(String header) {
        assertRefused("must be the name of a header, such as Idempotency-Key", "fbf.key.header=" + header);
    }

    @Test
    void aSizeThatIsTooSmallIsRefusedWithWhatWouldFit() {
        assertThat(anyOf(BoundProperties.of("fbf.max-size=5MB")).plan(false).bytes())
                .isLessThanOrEqualTo(DataSize.ofMegabytes(5).toBytes());

        FbfProperties small = BoundProperties.of("fbf.max-size=4MB");
        anyOf(small).validate(Mode.FILTER);
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> anyOf(small).plan(false))
                .satisfies(e -> assertThat(e.getName()).isEqualTo("fbf.max-size"))
                .satisfies(e -> assertThat(e.getReason()).endsWith(", need 4,491,328 bytes"));
    }

    /** The first line is the one that is refused. */
    private static void assertRefused(String range, String... lines) {
        FbfProperties properties = BoundProperties.of(lines);
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> requireValid(properties))
                .satisfies(e -> assertThat(e.getName()).isEqualTo(lines[0].split("=", 2)[0]))
                .withMessageContaining(range);
    }

    @Test
    void theTableInTheDocumentationHasEachPropertyOnceWithItsDefault() {
        Map<String, JsonNode> properties = metadata();
        Map<String, String> documented = new TreeMap<>();
        for (List<String> row : Rows.of("docs/properties.md", "fbf.")) {
            assertThat(documented.put(Rows.code(row.get(0)), row.get(1)))
                    .as(row.get(0))
                    .isNull();
            assertThat(row.get(2)).as(row.get(0)).isNotBlank();
        }

        assertThat(documented).containsOnlyKeys(properties.keySet());
        properties.forEach((name, property) -> {
            if (property.has("defaultValue")) {
                assertThat(documented).containsEntry(name, '`' + defaultOf(property) + '`');
            } else {
                assertThat(documented.get(name))
                        .as(name)
                        .satisfiesAnyOf(
                                cell -> assertThat(cell).isEqualTo("none"),
                                cell -> assertThat(cell).doesNotStartWith("`"));
            }
            assertThat(property.path("description").asString()).as(name).endsWith(".");
        });
    }

    @Test
    void hintsAreForPropertiesThatThereAreAndNameEachConstantOfAnEnum() throws Exception {
        Map<String, JsonNode> properties = metadata();
        for (JsonNode hint : document().path("hints")) {
            JsonNode property =
                    Objects.requireNonNull(properties.get(hint.path("name").asString()));
            Class<?> type = Class.forName(property.path("type").asString());
            if (type.isEnum()) {
                Set<String> named = new HashSet<>();
                hint.path("values")
                        .forEach(value -> named.add(value.path("value").asString()));
                assertThat(named).hasSize(type.getEnumConstants().length);
                for (Object constant : type.getEnumConstants()) {
                    assertThat(named)
                            .contains(
                                    constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'));
                }
            }
        }
        assertThat(document().path("hints").isEmpty()).isFalse();
    }

    /** As one would write it: the metadata has what stands in the code. */
    private static String defaultOf(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return switch (property.path("name").asString()) {
            case "fbf.false-positive-probability" -> value.asDouble() == 1e-9 ? "1e-9" : value.toString();
            default -> value.isString() ? value.asString() : value.toString();
        };
    }

    private static JsonNode defaultValue(Map<String, JsonNode> metadata, String name) {
        return Objects.requireNonNull(metadata.get(name)).path("defaultValue");
    }

    private static Map<String, JsonNode> metadata() {
        return StreamSupport.stream(document().path("properties").spliterator(), false)
                .filter(property -> property.path("name").asString().startsWith("fbf."))
                .collect(Collectors.toMap(property -> property.path("name").asString(), property -> property));
    }

    private static JsonNode document() {
        try (InputStream json = Objects.requireNonNull(
                FbfProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            return JsonMapper.builder().build().readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
