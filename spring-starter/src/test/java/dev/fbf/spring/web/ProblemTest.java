package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.HttpAppTest;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.operation.Refusals;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Problems, and what an application can make of them. */
@GuardedApp(
        modes = Mode.FILTER,
        beans = {ProblemTest.Counters.class, ProblemTest.Teapot.class},
        properties = "server.servlet.context-path=/shop")
class ProblemTest extends HttpAppTest {

    @Test
    void typesStayWhatTheyAre() {
        assertThat(Stream.of(OperationOutcome.values())
                        .filter(outcome -> outcome.problem() != null)
                        .map(problem -> problem.status() + " " + problem.type() + " retry=" + problem.isRetryable()))
                .containsExactly(
                        "400 tag:fbf.dev,2026:problem:idempotency-key retry=false",
                        "400 tag:fbf.dev,2026:problem:idempotency-key-time retry=false",
                        "412 tag:fbf.dev,2026:problem:idempotency-key-too-old retry=false",
                        "422 tag:fbf.dev,2026:problem:idempotency-key-reused retry=false",
                        "409 tag:fbf.dev,2026:problem:in-progress retry=true",
                        "503 tag:fbf.dev,2026:problem:in-doubt retry=true",
                        "503 tag:fbf.dev,2026:problem:no-room retry=true",
                        "503 tag:fbf.dev,2026:problem:recovering retry=true",
                        "503 tag:fbf.dev,2026:problem:held-back retry=true",
                        "503 tag:fbf.dev,2026:problem:unreachable retry=true",
                        "503 tag:fbf.dev,2026:problem:stopping retry=true");
    }

    @Test
    void tellStrangersNothingOfTheApplication() throws Exception {
        JsonNode blank = HttpApp.json(app.post("/shop/named?id=%20"));
        JsonNode tooOld = HttpApp.json(app.post("/shop/counted", "Idempotency-Key", "01ARYZ6S41TSV4RRFFQ69G5FAV"));

        assertThat(blank.path("instance").asString()).isEqualTo("/shop/named");
        assertThat(blank.path("detail").asString()).isEqualTo("The idempotency key in the request is blank.");
        assertThat(tooOld.path("detail").asString())
                .contains("was not applied now")
                .doesNotContain("here it is");
        assertThat(Refusals.of(Refusal.NO_ROOM, "com.acme.Pages.view", null))
                .hasMessageContaining("(fbf.max-claims)")
                .extracting(OperationRefusedException::detail)
                .isEqualTo("The limit of concurrent operations is reached. Retry with the same key.");
    }

    /** Its handler passes on what it does not answer. */
    @Test
    void canBeAnsweredByTheApplicationInstead() throws Exception {
        String ofTomorrow = TimedKeys.uuid(Instant.now().plus(Duration.ofDays(1)));

        assertThat(app.post("/shop/counted", "Idempotency-Key", ofTomorrow).statusCode())
                .isEqualTo(418);
        assertThat(app.post("/shop/counted").statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 1", "PT0.01S, 1", "PT1S, 1", "PT1.5S, 2", "PT9M58S, 598", "PT1H, 3600", "PT3H, 3600"})
    void haveRetryAfterOfTheTimeThatIsKnownRoundedUpToSecondsFromOneToAnHour(Duration known, String seconds) {
        assertThat(HttpContract.onRefusal(Refusals.heldBack("views", known))
                        .getHeaders()
                        .getFirst("Retry-After"))
                .isEqualTo(seconds);
    }

    @ControllerAdvice
    @Order(-1)
    static class Teapot {

        @ExceptionHandler
        ResponseEntity<Void> onKey(IdempotencyKeyException e) {
            if (e.reason() != OperationOutcome.KEY_TIME) {
                throw e;
            }
            return ResponseEntity.status(418).build();
        }
    }

    @RestController
    static class Counters {

        @PostMapping("/counted")
        @IdempotentIncrement(scope = "counted")
        void count() {}

        @PostMapping("/named")
        @IdempotentIncrement(scope = "named", key = "#id")
        void countNamed(String id) {}
    }
}
