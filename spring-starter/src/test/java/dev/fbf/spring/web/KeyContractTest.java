package dev.fbf.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.HttpApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.TimedKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** What clients may send as a key, byte by byte, over real HTTP. */
@ExtendWith(PostgresExtension.class)
class KeyContractTest {

    @TempDir
    private static Path directory;

    private static HttpApp usual;
    private static HttpApp timed;

    @BeforeAll
    static void start(DataSource dataSource) {
        usual = HttpApp.start(dataSource, directory.resolve("usual"), Counters.class, "fbf.responses.enabled=false");
        timed = HttpApp.start(
                dataSource,
                directory.resolve("timed"),
                Counters.class,
                "fbf.responses.enabled=false",
                "fbf.key.header=X-Operation",
                "fbf.key.require-time=true",
                "fbf.key.max-skew=5m");
    }

    @AfterAll
    static void stop() {
        timed.close();
        usual.close();
    }

    @Test
    void aStringWithParametersAndABareTokenAreTheSameKey() throws IOException {
        assertThat(status(usual, "/counted", "Idempotency-Key: \"same\";retry=1"))
                .isEqualTo(200);
        assertThat(status(usual, "/counted", "Idempotency-Key: same")).isEqualTo(204);
        assertThat(status(usual, "/counted", "idempotency-key:\t\"same\" ; anything, at \"all"))
                .isEqualTo(204);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``| The header Idempotency-Key is malformed: it is empty.",
                "\"unclosed| malformed",
                "a, b| malformed",
                "\"a\", \"b\"| The header Idempotency-Key is malformed: it is not one string in quotes,",
                "\"a\\b\"| with a backslash before each quote and backslash in it.",
                "a;retry=1| without quotes it may have printable ASCII characters only, and no spaces, quotes, commas, semicolons",
                "\u00fc| malformed",
                "\"\u00c3\u00bc\"| malformed"
            })
    void anEmptyOrMalformedKeyAListAndOneThatIsNotAsciiAreAnswered400(String key, String detail) throws IOException {
        assertRefused(usual, detail, "Idempotency-Key: " + key);
    }

    @Test
    void aTooLongKeyIsAnswered400() throws IOException {
        assertThat(status(usual, "/counted", "Idempotency-Key: " + "k".repeat(255)))
                .isEqualTo(200);
        assertRefused(usual, "256 characters", "Idempotency-Key: " + "k".repeat(256));
        assertRefused(usual, "256 characters", "Idempotency-Key: \"" + "k".repeat(256) + '"');
    }

    @Test
    void aRepeatedKeyIsAnswered400() throws IOException {
        assertRefused(usual, "sent 2 times", "Idempotency-Key: \"a\"", "Idempotency-Key: \"a\"");
        assertRefused(usual, "sent 2 times", "Idempotency-Key: \"a", "Idempotency-Key: b\"");
        assertRefused(usual, "sent 2 times", "Idempotency-Key: a", "idempotency-key:");
    }

    @Test
    void aKeyOlderThanTheWindowIsAnswered412AndNotExecuted() throws IOException {
        Instant old = Instant.now().minus(Duration.ofHours(1));
        assertProblem(usual, 412, "idempotency-key-too-old", "9 min", "Idempotency-Key: " + TimedKeys.uuid(old));
        assertProblem(usual, 412, "idempotency-key-too-old", "9 min", "Idempotency-Key: " + TimedKeys.ulid(old));
    }

    @Test
    void headerTimeAndSkewAreThoseOfTheProperties() throws IOException {
        assertProblem(timed, 400, "idempotency-key-time", "has no time", "X-Operation: \"key-1\"");
        String ahead = TimedKeys.uuid(Instant.now().plus(Duration.ofMinutes(3)));
        assertProblem(usual, 400, "idempotency-key-time", "1 min", "Idempotency-Key: " + ahead);
        assertThat(status(timed, "/counted", "X-Operation: \"" + ahead + '"')).isEqualTo(200);
    }

    @Test
    void whereNoKeyIsRequiredARequestWithoutOneIsLetThrough() throws IOException {
        assertThat(status(usual, "/optional")).isEqualTo(200);
        assertThat(status(usual, "/optional")).isEqualTo(200);
        assertThat(status(usual, "/optional", "Idempotency-Key: a")).isEqualTo(200);
        assertThat(status(usual, "/optional", "Idempotency-Key: a")).isEqualTo(204);
        assertThat(status(usual, "/optional", "Idempotency-Key:")).isEqualTo(400);
    }

    private static void assertRefused(HttpApp app, String detail, String... headers) throws IOException {
        assertProblem(app, 400, "idempotency-key", detail, headers);
    }

    private static void assertProblem(HttpApp app, int status, String type, String detail, String... headers)
            throws IOException {
        assertProblem(app, "/counted", status, type, detail, headers);
        assertProblem(app, "/argument", status, type, detail, headers);
    }

    private static void assertProblem(
            HttpApp app, String path, int status, String type, String detail, String... headers) throws IOException {
        int before = app.bean(Counters.class).calls();
        String response = post(app, path, headers);
        assertThat(app.bean(Counters.class).calls()).isEqualTo(before);
        assertThat(status(response)).isEqualTo(status);
        assertThat(response).contains("Content-Type: application/problem+json");
        JsonNode problem = HttpApp.json(RawHttp.body(response));
        assertThat(problem.path("type").asString()).isEqualTo("tag:fbf.dev,2026:problem:" + type);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asString()).isNotBlank();
        assertThat(problem.path("detail").asString()).contains(detail);
    }

    private static int status(HttpApp app, String path, String... headers) throws IOException {
        return status(post(app, path, headers));
    }

    /** By hand: a client library would not send most of this. */
    private static String post(HttpApp app, String path, String... headers) throws IOException {
        return RawHttp.send(app.port(), RawHttp.request("POST", path, "", headers));
    }

    private static int status(String response) {
        return Integer.parseInt(response.split(" ", 3)[1]);
    }

    @RestController
    static class Counters {

        private final AtomicInteger calls = new AtomicInteger();
        private final IdempotentScope argument;

        Counters(IdempotentOperations operations) {
            argument = operations.scope("argument");
        }

        @PostMapping("/argument")
        int countByArgument(IdempotencyKey key) {
            return argument.execute(key, calls::incrementAndGet, () -> -1);
        }

        @PostMapping("/counted")
        @IdempotentIncrement(scope = "counted")
        int count() {
            return calls.incrementAndGet();
        }

        @PostMapping("/optional")
        @IdempotentIncrement(scope = "optional", keyRequired = false)
        int countWithOrWithoutKey() {
            return calls.incrementAndGet();
        }

        /** What reached a method. */
        int calls() {
            return calls.get();
        }
    }
}
