package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.AbsentLibraries;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
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

    /** Those of fbf itself are no replays. */
    @Test
    void showsTheHeaderOfReplaysAtTheResponsesThatCanBeReplays() {
        JsonNode responses = post("/refusing").path("responses");

        assertThat(responses.propertyNames().stream()
                        .filter(status -> responses.path(status).path("headers").has("Idempotent-Replayed")))
                .containsExactlyInAnyOrder("200", "402", "404", "409");
        assertThat(List.copyOf(responses.propertyNames())).contains("400", "412", "422", "500", "503");
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

    @Test
    void leavesOtherMethodsAlone() {
        JsonNode plain = paths.path("/plain").path("get");

        assertThat(plain.has("responses")).isTrue();
        assertThat(plain.has("parameters")).isFalse();
        assertThat(List.copyOf(plain.path("responses").propertyNames())).doesNotContain("409", "422");
    }

    private JsonNode post(String path) {
        return paths.path(path).path("post");
    }

    /** Spring's documentation has the responses of an advice with each method. */
    @RestControllerAdvice
    static class Failures {

        @ExceptionHandler
        @ResponseStatus(HttpStatus.NOT_FOUND)
        void onAbsence(NoSuchElementException e) {}

        @ExceptionHandler
        @ResponseStatus(HttpStatus.INTERNAL_SERVER_ERROR)
        void onFailure(IllegalStateException e) {}
    }

    @RestController
    @Import(Failures.class)
    static class Counters {

        @PostMapping("/guarded")
        @IdempotentIncrement(scope = "guarded")
        int count() {
            return 1;
        }

        @PostMapping("/refusing")
        @ApiResponse(responseCode = "200")
        @ApiResponse(responseCode = "402")
        @ApiResponse(responseCode = "409")
        @ApiResponse(responseCode = "503")
        @IdempotentIncrement(scope = "refusing")
        ResponseEntity<Void> countOrRefuse() {
            return ResponseEntity.status(HttpStatus.PAYMENT_REQUIRED).build();
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

        @GetMapping("/plain")
        int plain() {
            return 0;
        }
    }
}
