package dev.fbf.spring.autoconfigure;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.Rows;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.transaction.NodeStatus;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** What an operator sees of an application with an actuator and Micrometer, as Spring Boot sets them up. */
@GuardedApp(
        modes = Mode.FILTER,
        beans = OperateOverHttpTest.Pages.class,
        properties = {
            AbsentLibraries.NONE,
            "fbf.responses.enabled=false",
            "management.endpoints.web.exposure.include=fbf,metrics",
            "management.endpoint.fbf.access=unrestricted",
            "fbf.scopes[page-views.EU].retry-window=2m",
            "fbf.scopes.counters.mode=ledger"
        })
class OperateOverHttpTest extends HttpAppTest {

    @BeforeEach
    void openAnotherScope() {
        app.bean(SqlCounters.class).value("any");
    }

    @Test
    void theEndpointTellsOfAllScopesInShort() throws Exception {
        JsonNode state = json(get("/actuator/fbf"), 200);

        assertThat(UUID.fromString(state.path("node").asString()))
                .isEqualTo(app.bean(NodeStatus.class).nodeId());
        assertThat(state.path("ready").asBoolean()).isTrue();
        assertThat(state.path("inDoubt").isEmpty()).isTrue();
        assertThat(state.path("scopes").size()).isEqualTo(2);
        assertThat(state.path("scopes").get(0).path("scope").asString()).isEqualTo("counters");
        JsonNode scope = state.path("scopes").get(1);
        assertThat(scope.path("scope").asString()).isEqualTo("page-views.EU");
        assertThat(scope.path("retryWindow").asString()).isEqualTo("PT2M");
        assertThat(scope.path("mode").asString()).isEqualTo("FILTER");
        assertThat(scope.path("claims").isInt()).isTrue();
    }

    @Test
    void aDecisionOnATransactionThatThereIsNoneOfIsAnswered404() throws Exception {
        HttpResponse<String> response = app.send(
                "POST",
                "/actuator/fbf/page-views.EU",
                "no-key",
                "application/json",
                "{\"applied\": true}".getBytes(UTF_8));

        assertThat(json(response, 404).path("ready").asBoolean()).isTrue();
    }

    @Test
    void theTableOfMetersIsThatOfWhatIsRegistered() throws Exception {
        app.post("/views", "Idempotency-Key", "table");
        Map<String, List<String>> documented = new TreeMap<>();
        Rows.of("docs/operations.md", "fbf.").stream()
                .filter(row -> row.size() == 4)
                .forEach(row -> documented.put(Rows.code(row.get(0)), List.of(row.get(1), row.get(2))));

        Map<String, List<String>> registered = app.bean(MeterRegistry.class).getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("fbf."))
                .collect(Collectors.toMap(
                        Meter.Id::getName,
                        id -> List.of(
                                id.getType().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                                        + (id.getType() == Meter.Type.GAUGE && id.getBaseUnit() != null
                                                ? ", " + id.getBaseUnit()
                                                : ""),
                                id.getTags().stream()
                                        .map(tag -> "`" + tag.getKey() + "`")
                                        .sorted()
                                        .collect(Collectors.joining(", "))),
                        (one, other) -> one,
                        TreeMap::new));

        assertThat(registered).isEqualTo(documented);
    }

    @Test
    void theTableOfOutcomesIsThatOfTheEnum() {
        Set<String> outcomes = new TreeSet<>();
        for (OperationOutcome outcome : OperationOutcome.values()) {
            outcomes.add(outcome.value());
        }

        assertThat(Rows.of("docs/operations.md", "").stream()
                        .filter(row -> row.size() == 2)
                        .map(row -> Rows.code(row.get(0))))
                .containsExactlyInAnyOrderElementsOf(outcomes);
    }

    @Test
    void noRequestIsLoggedAndNoLineAtAnyLevelNorAnyTagHasTheKey(CapturedOutput output) throws Exception {
        String key = "a-key-that-nobody-sees";
        String old = TimedKeys.uuid(Instant.now().minusSeconds(3600));
        LoggingSystem logging = app.bean(LoggingSystem.class);
        logging.setLogLevel("dev.fbf", LogLevel.TRACE);
        try {
            LoggerFactory.getLogger("dev.fbf").trace("traced");
            assertThat(app.post("/views", "Idempotency-Key", key).statusCode()).isEqualTo(200);
            assertThat(app.post("/views", "Idempotency-Key", key).statusCode()).isEqualTo(204);
            assertThat(app.post("/views", "Idempotency-Key", key + '"').statusCode())
                    .isEqualTo(400);
            assertThat(app.post("/views", "Idempotency-Key", old).statusCode()).isEqualTo(412);
        } finally {
            logging.setLogLevel("dev.fbf", null);
        }

        String lines = output.getAll().substring(output.getAll().indexOf("TRACE dev.fbf -  traced"));
        assertThat(lines)
                .doesNotContainPattern("(INFO|WARN|ERROR) +d\\S*f\\S*\\.")
                .doesNotContain(key)
                .doesNotContain(old);
        assertThat(app.bean(MeterRegistry.class).getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTags())
                        .extracting(Tag::getValue)
                        .noneMatch(value -> value.contains(key) || value.contains(old)));
    }

    private static JsonNode json(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return HttpApp.json(response);
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return app.get(path, "*/*");
    }

    @RestController
    static class Pages {

        @PostMapping("/views")
        @IdempotentIncrement(scope = "page-views.EU")
        void view() {}
    }
}
