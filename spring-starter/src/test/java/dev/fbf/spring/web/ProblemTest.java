package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.core.claim.Refusal;
import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKeyException;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.operation.Refusals;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.MessageSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.StaticMessageSource;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Problems, and what an application can make of them. */
@ExtendWith(PostgresExtension.class)
class ProblemTest {

    @TempDir
    private static Path directory;

    private static HttpApp plain;
    private static HttpApp own;

    @BeforeAll
    static void start(DataSource dataSource) {
        plain = HttpApp.start(
                dataSource, directory.resolve("plain"), Controllers.class, "server.servlet.context-path=/shop");
        own = HttpApp.start(dataSource, directory.resolve("own"), Own.class);
    }

    @AfterAll
    static void stop() {
        own.close();
        plain.close();
    }

    @Test
    void typesStayWhatTheyAre() {
        assertThat(HttpContract.problems(true).stream()
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
        assertThat(HttpContract.problems(false)).hasSize(10).doesNotContain(OperationOutcome.KEY_REUSED);
    }

    @Test
    void speakTheLanguageOfTheClientWhereThereAreMessages() throws Exception {
        JsonNode german = HttpApp.json(own.post("/counted", "Accept-Language", "de"));
        JsonNode english = HttpApp.json(own.post("/counted", "Accept-Language", "en"));

        assertThat(german.path("type").asString()).isEqualTo("https://shop.example/probleme/schluessel");
        assertThat(german.path("title").asString()).isEqualTo("Schlüssel fehlt");
        assertThat(german.path("detail").asString()).startsWith("Bitte senden: The header Idempotency-Key is missing");
        assertThat(english.path("type").asString()).isEqualTo("tag:fbf.dev,2026:problem:idempotency-key");
        assertThat(english.path("title").asString()).isEqualTo("Idempotency key missing or malformed");
    }

    @Test
    void tellStrangersNothingOfTheApplication() throws Exception {
        JsonNode blank = HttpApp.json(plain.post("/shop/named?id=%20"));
        JsonNode tooOld = HttpApp.json(plain.post("/shop/counted", "Idempotency-Key", "01ARYZ6S41TSV4RRFFQ69G5FAV"));

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

    @Test
    void canBeAnsweredByTheApplicationInstead() throws Exception {
        assertThat(own.post("/counted", "Idempotency-Key", "01ARYZ6S41TSV4RRFFQ69G5FAV")
                        .statusCode())
                .isEqualTo(418);
        assertThat(plain.post("/shop/counted", "Idempotency-Key", "01ARYZ6S41TSV4RRFFQ69G5FAV")
                        .statusCode())
                .isEqualTo(412);
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 1", "PT0.01S, 1", "PT1S, 1", "PT1.5S, 2", "PT9M58S, 598", "PT1H, 3600", "PT3H, 3600"})
    void haveRetryAfterOfTheTimeThatIsKnownRoundedUpToSecondsFromOneToAnHour(Duration known, String seconds) {
        assertThat(new HttpContract(new StaticMessageSource())
                        .onRefusal(Refusals.heldBack("views", known), Locale.ROOT)
                        .getHeaders()
                        .getFirst("Retry-After"))
                .isEqualTo(seconds);
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Counters.class)
    static class Controllers {}

    @Configuration(proxyBeanMethods = false)
    @Import({Counters.class, Teapot.class})
    static class Own {

        @Bean
        MessageSource messageSource() {
            StaticMessageSource messages = new StaticMessageSource();
            messages.addMessage(
                    "problemDetail.type.fbf.idempotency-key",
                    Locale.GERMAN,
                    "https://shop.example/probleme/schluessel");
            messages.addMessage("problemDetail.title.fbf.idempotency-key", Locale.GERMAN, "Schlüssel fehlt");
            messages.addMessage("problemDetail.fbf.idempotency-key", Locale.GERMAN, "Bitte senden: {0}");
            return messages;
        }
    }

    @ControllerAdvice
    @Order(-1)
    static class Teapot {

        @ExceptionHandler
        ResponseEntity<Void> onKey(IdempotencyKeyException e) {
            if (e.reason() != OperationOutcome.KEY_TOO_OLD) {
                throw e; // as without this handler
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
