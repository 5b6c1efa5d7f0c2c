package dev.fbf.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.core.filter.FilterSizing;
import dev.fbf.core.guard.AfterLostCommits;
import dev.fbf.core.guard.AfterPowerFailure;
import dev.fbf.core.guard.Durability;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.Mode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class FbfPropertiesTest {

    @Test
    void defaultValuesAreConsistent() {
        FbfProperties properties = new FbfProperties();

        assertThat(properties.isEnabled()).isTrue();
        assertThat(properties.getDirectory()).isEqualTo(Path.of("fbf-data"));
        assertThat(ScopeSettings.of("any", properties).sizing(false)).isEqualTo(FilterSizing.DEFAULT);
        assertThat(properties.getMaxSize()).isNull();
        assertThat(ScopeSettings.of("any", properties).plan(false))
                .isEqualTo(FilterSizing.DEFAULT.plan().withDefaultLimit());
        assertThat(properties.getMode()).isEqualTo(Mode.LEDGER);
        assertThat(properties.getDurability()).isEqualTo(Durability.PROCESS);
        assertThat(properties.getAfterPowerFailure()).isEqualTo(AfterPowerFailure.WARN);
        assertThat(properties.getAfterLostCommits()).isEqualTo(AfterLostCommits.REFUSE);
        assertThat(properties.getMaxClaims()).isEqualTo(4096);
        assertThat(properties.getMaxStreamedBody()).isEqualTo(DataSize.ofMegabytes(100));
        assertThat(properties.getSettleTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(properties.getRetryAfter()).isEqualTo(Duration.ofSeconds(1));
        assertThat(properties.getKey().getHeader()).isEqualTo("Idempotency-Key");
        assertThat(properties.getKey().isStrict()).isFalse();
        assertThat(properties.getKey().isRequireTime()).isFalse();
        assertThat(ScopeSettings.of("any", properties).maxSkew()).isEqualTo(Duration.ofMinutes(1));
        assertThat(properties.getSchema().isMigrate()).isTrue();
        assertThat(properties.getSchema().getName()).isNull();
        assertThat(properties.getInProgressTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(properties.getCounters().getTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(properties.getFingerprint().isEnabled()).isTrue();
        assertThat(properties.getFingerprint().getMaxBody()).isEqualTo(DataSize.ofMegabytes(1));
        assertThat(properties.getPolicy().isEnabled()).isFalse();
        assertThat(properties.getPolicy().getPath()).isEqualTo("/idempotency-policy");
        assertThat(properties.getScopes()).isEmpty();
    }

    @Test
    void theFilterRemembersRequestsUnlessTheLedgerDoesOrNobodyAsks() {
        FbfProperties properties = new FbfProperties();
        assertThat(ScopeSettings.ofAll(properties).filtersRequests()).isFalse();
        properties.setMode(Mode.FILTER);
        assertThat(ScopeSettings.ofAll(properties).filtersRequests()).isTrue();
        properties.getFingerprint().setEnabled(false);
        assertThat(ScopeSettings.ofAll(properties).filtersRequests()).isFalse();
    }

    @Test
    void everyPropertyHasADescriptionAndItsDefaultInTheMetadata() throws IOException {
        Map<String, JsonNode> metadata = metadata();

        assertThat(metadata)
                .containsOnlyKeys(
                        "fbf.enabled",
                        "fbf.mode",
                        "fbf.nodes",
                        "fbf.durability",
                        "fbf.after-power-failure",
                        "fbf.after-lost-commits",
                        "fbf.directory",
                        "fbf.expected-operations-per-second",
                        "fbf.retry-window",
                        "fbf.false-positive-probability",
                        "fbf.max-size",
                        "fbf.adaptation",
                        "fbf.max-claims",
                        "fbf.max-streamed-body",
                        "fbf.settle-timeout",
                        "fbf.retry-after",
                        "fbf.in-progress-timeout",
                        "fbf.counters.timeout",
                        "fbf.fingerprint.enabled",
                        "fbf.fingerprint.ignored-parameters",
                        "fbf.fingerprint.max-body",
                        "fbf.responses.enabled",
                        "fbf.responses.headers",
                        "fbf.responses.max-body",
                        "fbf.responses.max-memory",
                        "fbf.policy.enabled",
                        "fbf.policy.path",
                        "fbf.key.header",
                        "fbf.key.strict",
                        "fbf.key.require-time",
                        "fbf.key.max-skew",
                        "fbf.schema.migrate",
                        "fbf.schema.name",
                        "fbf.scopes");
        assertThat(metadata.values()).allSatisfy(property -> {
            assertThat(property.path("description").asString()).endsWith(".");
            // these depend on others, unless they are told; no scope differs
            assertThat(property.has("defaultValue"))
                    .isNotEqualTo(Set.of("fbf.max-size", "fbf.key.max-skew", "fbf.schema.name", "fbf.scopes")
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
                .containsExactlyElementsOf(new FbfProperties().getResponses().getHeaders());
        assertThat(defaultValue(metadata, "fbf.fingerprint.ignored-parameters")
                        .asString()
                        .split(", "))
                .containsExactlyElementsOf(new FbfProperties().getFingerprint().getIgnoredParameters());
    }

    @Test
    void aValueOutOfRangeIsRefusedByItsPropertysName() {
        FbfProperties rate = new FbfProperties();
        rate.setExpectedOperationsPerSecond(Double.NaN);
        assertRefused(rate, "fbf.expected-operations-per-second", "must be from 0.001 to 1.0E7");

        FbfProperties window = new FbfProperties();
        window.setMode(Mode.FILTER);
        window.setRetryWindow(Duration.ofSeconds(-1));
        assertRefused(window, "fbf.retry-window", "must be at least PT1S");
        window.setRetryWindow(Duration.ofDays(31));
        assertRefused(window, "fbf.retry-window", "to PT720H");
        window.setMode(Mode.LEDGER);
        window.setRetryWindow(Duration.ofDays(366));
        assertRefused(window, "fbf.retry-window", "must be at most PT8760H");

        FbfProperties probability = new FbfProperties();
        probability.setFalsePositiveProbability(0);
        assertRefused(probability, "fbf.false-positive-probability", "must be from 1.0E-12 to 0.1");

        FbfProperties size = new FbfProperties();
        size.setMaxSize(DataSize.ofBytes(-1));
        assertRefused(size, "fbf.max-size", "must be at least 65536");

        FbfProperties claims = new FbfProperties();
        claims.setMaxClaims(0);
        assertRefused(claims, "fbf.max-claims", "must be at least 1");

        FbfProperties timeout = new FbfProperties();
        timeout.setInProgressTimeout(Duration.ofSeconds(-1));
        assertRefused(timeout, "fbf.in-progress-timeout", "must not be negative");
        FbfProperties counters = new FbfProperties();
        counters.getCounters().setTimeout(Duration.ZERO);
        assertRefused(counters, "fbf.counters.timeout", "must be more than 0");

        FbfProperties policy = new FbfProperties();
        policy.getPolicy().setPath("policy");
        assertRefused(policy, "fbf.policy.path", "must begin with a slash");

        FbfProperties body = new FbfProperties();
        body.getFingerprint().setMaxBody(DataSize.ofGigabytes(2));
        assertRefused(body, "fbf.fingerprint.max-body", "must be from 0 to 2147483647 bytes");
        for (String name : List.of("Set-Cookie", "content-length", "ETag: 1", "")) {
            FbfProperties headers = new FbfProperties();
            headers.getResponses().setHeaders(List.of("ETag", name));
            assertRefused(headers, "fbf.responses.headers", "must be names of headers, and none of");
        }

        FbfProperties streamed = new FbfProperties();
        streamed.setMaxStreamedBody(DataSize.ofBytes(-1));
        assertRefused(streamed, "fbf.max-streamed-body", "must not be negative");

        FbfProperties retryAfter = new FbfProperties();
        retryAfter.setRetryAfter(Duration.ofSeconds(-1));
        assertRefused(retryAfter, "fbf.retry-after", "must not be negative");
    }

    @Test
    void aRetryWindowWithoutItsUnitIsRefusedAndOneOfASecondIsNot() {
        FbfProperties properties = new FbfProperties();
        properties.setRetryWindow(Duration.ofMillis(600));
        assertRefused(properties, "fbf.retry-window", "A number without a unit means milliseconds: write 10s or 10m");

        properties.setRetryWindow(Duration.ofSeconds(1));
        PropertyChecks.checkAll(properties);
    }

    @Test
    void theSkewIsATenthOfAShortWindowUnlessItIsSet() {
        FbfProperties properties = new FbfProperties();
        properties.setRetryWindow(Duration.ofSeconds(2));
        assertThat(ScopeSettings.of("any", properties).maxSkew()).isEqualTo(Duration.ofMillis(200));

        properties.setRetryWindow(Duration.ofDays(1));
        assertThat(ScopeSettings.of("any", properties).maxSkew()).isEqualTo(Duration.ofMinutes(1));

        properties.getKey().setMaxSkew(Duration.ofHours(1));
        assertThat(ScopeSettings.of("any", properties).maxSkew()).isEqualTo(Duration.ofHours(1));
        PropertyChecks.checkAll(properties);
    }

    @Test
    void aSkewOfTheWholeWindowIsRefused() {
        FbfProperties properties = new FbfProperties();
        properties.getKey().setMaxSkew(Duration.ofMinutes(10));
        assertRefused(properties, "fbf.key.max-skew", "must be less than fbf.retry-window, which is PT10M");

        properties.getKey().setMaxSkew(Duration.ofMillis(-1));
        assertRefused(properties, "fbf.key.max-skew", "must not be negative");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "Idempotency Key", "Idempotency-Key:", "Schlüssel"})
    void aHeaderOfNoNameIsRefused(String header) {
        FbfProperties properties = new FbfProperties();
        properties.getKey().setHeader(header);
        assertRefused(properties, "fbf.key.header", "must be the name of a header, such as Idempotency-Key");
    }

    @ParameterizedTest
    @CsvSource({
        "'', must not be blank; leave it out",
        "' ', must not be blank; leave it out",
        "pg_fbf, must not begin with pg_",
        "a\0b, must have no NUL character",
        "${FBF_SCHEMA}, must not have ${",
        "own_${stage, must not have ${",
        "a\ud800, half of a surrogate pair",
        "a234567890123456789012345678901234567890123456789012345678901234, must have 63 bytes in UTF-8 at most",
        "ä23456789012345678901234567890123456789012345678901234567890123, must have 63 bytes in UTF-8 at most"
    })
    void aSchemaThatCannotBeIsRefused(String name, String why) {
        FbfProperties properties = new FbfProperties();
        properties.getSchema().setName(name);
        assertRefused(properties, "fbf.schema.name", why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fbf",
                "My Schema",
                "a\"b",
                "a.b",
                "ä2345678901234567890123456789012345678901234567890123456789012"
            })
    void aSchemaMayHaveAnyOtherName(String name) {
        FbfProperties properties = new FbfProperties();
        properties.getSchema().setName(name);
        PropertyChecks.checkAll(properties);
    }

    @Test
    void aSizeThatIsTooSmallIsRefusedWithWhatWouldFit() {
        FbfProperties properties = new FbfProperties();
        properties.setMaxSize(DataSize.ofMegabytes(5));
        assertThat(ScopeSettings.of("any", properties).plan(false).bytes())
                .isLessThanOrEqualTo(DataSize.ofMegabytes(5).toBytes());

        properties.setMaxSize(DataSize.ofMegabytes(4));
        PropertyChecks.checkAll(properties);
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> ScopeSettings.of("any", properties).plan(false))
                .satisfies(e -> assertThat(e.getName()).isEqualTo("fbf.max-size"))
                .satisfies(e -> assertThat(e.getReason())
                        .matches(".* need 4,491,328 bytes; within 4,194,304 bytes: up to .* operations/s, or .*"));
    }

    private static void assertRefused(FbfProperties properties, String name, String range) {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> PropertyChecks.checkAll(properties))
                .satisfies(e -> assertThat(e.getName()).isEqualTo(name))
                .withMessageContaining(range);
    }

    private static JsonNode defaultValue(Map<String, JsonNode> metadata, String name) {
        return Objects.requireNonNull(metadata.get(name)).path("defaultValue");
    }

    private static Map<String, JsonNode> metadata() throws IOException {
        try (InputStream json = Objects.requireNonNull(
                FbfProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            JsonNode properties = JsonMapper.builder().build().readTree(json).path("properties");
            return StreamSupport.stream(properties.spliterator(), false)
                    .filter(property -> property.path("name").asString().startsWith("fbf."))
                    .collect(Collectors.toMap(property -> property.path("name").asString(), property -> property));
        }
    }
}
