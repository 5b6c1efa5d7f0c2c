package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** What springdoc's users see of guarded methods. */
@Tag("slow")
@GuardedApp(
        modes = Mode.FILTER,
        beans = OpenApiTest.Counters.class,
        properties = {AbsentLibraries.NONE, "fbf.key.header=X-Operation"})
class OpenApiTest extends HttpAppTest {

    private JsonNode paths;

    @BeforeEach
    void read() throws Exception {
        paths = HttpApp.json(app.get("/v3/api-docs", "application/json")).path("paths");
    }

    @Test
    void showsTheHeader() {
        JsonNode header = post("/guarded").at("/parameters/0");

        assertThat(header.path("name").asString()).isEqualTo("X-Operation");
        assertThat(header.path("in").asString()).isEqualTo("header");
        assertThat(header.path("required").asBoolean()).isTrue();
        assertThat(header.path("description").asString()).contains("for up to 10 min.");
        assertThat(header.path("schema").path("maxLength").asInt()).isEqualTo(255);
        assertThat(post("/optional").at("/parameters/0/required").asBoolean(true))
                .isFalse();
    }

    @Test
    void showsTheHeaderWhereTheHandlerTakesTheKeyAsAnArgument() {
        for (String path : List.of("/argument", "/optional-argument")) {
            JsonNode post = post(path);

            assertThat(post.path("parameters").valueStream())
                    .extracting(header -> header.path("name").asString() + " in "
                            + header.path("in").asString() + " required "
                            + header.path("required").asBoolean())
                    .containsExactly("X-Operation in header required " + path.equals("/argument"));
            assertThat(List.copyOf(post.path("responses").propertyNames()))
                    .contains("200", "400", "409", "412", "422", "503");
        }
    }

    @Test
    void showsTheResponses() {
        JsonNode responses = post("/guarded").path("responses");

        assertThat(List.copyOf(responses.propertyNames())).contains("200", "400", "409", "412", "422", "503");
        assertThat(responses.path("409").path("description").asString()).isEqualTo("Operation in progress");
        assertThat(responses.path("409").path("content").has("application/problem+json"))
                .isTrue();
        assertThat(responses.path("200").path("headers").has("Idempotent-Replayed"))
                .isTrue();
        assertThat(List.of("400", "409", "412", "422", "503"))
                .allSatisfy(status -> assertThat(responses
                                .path(status)
                                .at("/content/application~1problem+json/schema/properties/status/type")
                                .asString())
                        .isEqualTo("integer"))
                .filteredOn(status -> responses.path(status).path("headers").has("Retry-After"))
                .containsExactly("409", "503");
    }

    @Test
    void saysNothingOfTheHeaderWhereTheRequestItselfNamesTheKey() {
        JsonNode named = post("/named");

        assertThat(named.path("parameters")
                        .valueStream()
                        .map(parameter -> parameter.path("name").asString()))
                .containsExactly("id");
        assertThat(List.copyOf(named.path("responses").propertyNames()))
                .contains("400", "409")
                .doesNotContain("422");
    }

    private JsonNode post(String path) {
        return paths.path(path).path("post");
    }

    @RestController
    static class Counters {

        @PostMapping("/guarded")
        @IdempotentIncrement(scope = "guarded")
        int count() {
            return 1;
        }

        @PostMapping("/optional")
        @IdempotentIncrement(scope = "optional", keyRequired = false)
        int countWithOrWithout() {
            return 1;
        }

        @PostMapping("/named")
        @IdempotentIncrement(scope = "named", key = "#id")
        int countNamed(String id) {
            return 1;
        }

        @PostMapping("/argument")
        int countByArgument(IdempotencyKey key) {
            return 1;
        }

        @PostMapping("/optional-argument")
        int countByOptionalArgument(Optional<IdempotencyKey> key) {
            return 1;
        }
    }
}
