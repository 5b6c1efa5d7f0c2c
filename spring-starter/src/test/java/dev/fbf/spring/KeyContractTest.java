package dev.fbf.spring;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What clients may send as a key, byte by byte, over real HTTP. */
@ExtendWith(PostgresExtension.class)
class KeyContractTest {

    @TempDir
    private static Path directory;

    private static ConfigurableApplicationContext lenient;
    private static ConfigurableApplicationContext strict;

    @BeforeAll
    static void start(DataSource dataSource) {
        lenient = start(dataSource, "lenient");
        strict = start(
                dataSource,
                "strict",
                "fbf.key.header=X-Operation",
                "fbf.key.strict=true",
                "fbf.key.require-time=true",
                "fbf.key.max-skew=5m");
    }

    private static ConfigurableApplicationContext start(DataSource dataSource, String name, String... properties) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "fbf.directory=" + directory.resolve(name))
                .properties(properties)
                .initializers(context ->
                        ((GenericApplicationContext) context).registerBean(DataSource.class, () -> dataSource))
                .run();
    }

    @AfterAll
    static void stop() {
        strict.close();
        lenient.close();
    }

    @Test
    void aStringWithParametersAndABareTokenAreTheSameKey() throws IOException {
        assertThat(post(lenient, "/counted", "Idempotency-Key: \"same\";retry=1")
                        .status())
                .isEqualTo(200);
        assertThat(post(lenient, "/counted", "Idempotency-Key: same").status()).isEqualTo(204);
        assertThat(post(lenient, "/counted", "idempotency-key:\t\"same\" ").status())
                .isEqualTo(204);
    }

    @Test
    void aMissingKeyIsAnswered400() throws IOException {
        assertRefused(lenient, "missing");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\"\"",
                "\"unclosed",
                "\"a\"b",
                "\"a\";",
                "\"a\";A=1",
                "two words",
                "\"a\", \"b\"",
                "a, b",
                "(\"a\")",
                "\u00fc",
                "\"\u00fc\"",
                "\"\u00c3\u00bc\""
            })
    void anEmptyOrMalformedKeyAListAndOneThatIsNotAsciiAreAnswered400(String key) throws IOException {
        assertRefused(lenient, "malformed", "Idempotency-Key: " + key);
    }

    @Test
    void aTooLongKeyIsAnswered400() throws IOException {
        assertThat(post(lenient, "/counted", "Idempotency-Key: " + "k".repeat(255))
                        .status())
                .isEqualTo(200);
        assertRefused(lenient, "256 characters", "Idempotency-Key: " + "k".repeat(256));
        assertRefused(lenient, "256 characters", "Idempotency-Key: \"" + "k".repeat(256) + '"');
    }

    @Test
    void aRepeatedKeyIsAnswered400() throws IOException {
        assertRefused(lenient, "sent 2 times", "Idempotency-Key: \"a\"", "Idempotency-Key: \"a\"");
        assertRefused(lenient, "sent 2 times", "Idempotency-Key: \"a", "Idempotency-Key: b\"");
        assertRefused(lenient, "sent 2 times", "Idempotency-Key: a", "idempotency-key:");
    }

    @Test
    void aKeyOlderThanTheWindowIsAnswered412AndNotExecuted() throws IOException {
        Instant old = Instant.now().minus(Duration.ofHours(1));
        assertProblem(lenient, 412, "idempotency-key-too-old", "PT10M", "Idempotency-Key: " + TimedKeys.uuid(old));
        assertProblem(lenient, 412, "idempotency-key-too-old", "PT10M", "Idempotency-Key: " + TimedKeys.ulid(old));
    }

    @Test
    void aKeyFromTheFutureIsAnswered400() throws IOException {
        String future = TimedKeys.ulid(Instant.now().plus(Duration.ofHours(1)));
        assertProblem(lenient, 400, "idempotency-key-time", "in the future", "Idempotency-Key: " + future);
    }

    @Test
    void aKeyOfThisMomentIsAccepted() throws IOException {
        String uuid = TimedKeys.uuid(Instant.now());
        assertThat(post(lenient, "/counted", "Idempotency-Key: " + uuid).status())
                .isEqualTo(200);
        assertThat(post(lenient, "/counted", "Idempotency-Key: " + uuid).status())
                .isEqualTo(204);
    }

    @Test
    void whereItIsStrictABareTokenIsAnswered400() throws IOException {
        String uuid = TimedKeys.uuid(Instant.now());
        assertRefused(strict, "begins with a quote", "X-Operation: " + uuid);
        assertThat(post(strict, "/counted", "X-Operation: \"" + uuid + '"').status())
                .isEqualTo(200);
    }

    @Test
    void whereATimeIsRequiredAKeyWithoutOneIsAnswered400() throws IOException {
        assertProblem(strict, 400, "idempotency-key-time", "carries no time", "X-Operation: \"key-1\"");
    }

    @Test
    void theSkewCanBeSet() throws IOException {
        String ahead = TimedKeys.uuid(Instant.now().plus(Duration.ofMinutes(3)));
        assertProblem(lenient, 400, "idempotency-key-time", "PT1M", "Idempotency-Key: " + ahead);
        assertThat(post(strict, "/counted", "X-Operation: \"" + ahead + '"').status())
                .isEqualTo(200);
    }

    @Test
    void theHeaderCanHaveAnotherName() throws IOException {
        assertRefused(strict, "The header X-Operation is missing", "Idempotency-Key: \"a\"");
    }

    @Test
    void whereNoKeyIsRequiredARequestWithoutOneIsLetThroughAndCounted() throws IOException {
        KeylessCalls keyless = lenient.getBean(KeylessCalls.class);

        assertThat(post(lenient, "/optional").status()).isEqualTo(200);
        assertThat(post(lenient, "/optional").status()).isEqualTo(200);
        assertThat(keyless.count("optional")).isEqualTo(2);
        assertThat(post(lenient, "/optional", "Idempotency-Key: a").status()).isEqualTo(200);
        assertThat(post(lenient, "/optional", "Idempotency-Key: a").status()).isEqualTo(204);
        assertThat(post(lenient, "/optional", "Idempotency-Key:").status()).isEqualTo(400);
        assertThat(keyless.count("optional")).isEqualTo(2);
    }

    private static void assertRefused(ConfigurableApplicationContext app, String detail, String... headers)
            throws IOException {
        assertProblem(app, 400, "idempotency-key", detail, headers);
    }

    private static void assertProblem(
            ConfigurableApplicationContext app, int status, String type, String detail, String... headers)
            throws IOException {
        int before = app.getBean(Calls.class).all.get();
        Answer answer = post(app, "/counted", headers);
        assertThat(app.getBean(Calls.class).all).hasValue(before);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.text()).contains("Content-Type: application/problem+json");
        JsonNode problem = JsonMapper.builder()
                .build()
                .readTree(answer.text().substring(answer.text().indexOf("\r\n\r\n")));
        assertThat(problem.path("type").asString()).isEqualTo("urn:fbf:problem:" + type);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asString()).isNotBlank();
        assertThat(problem.path("detail").asString()).contains(detail);
    }

    /** By hand: a client library would not send most of this. */
    private static Answer post(ConfigurableApplicationContext app, String path, String... headers) throws IOException {
        int port = Integer.parseInt(app.getEnvironment().getRequiredProperty("local.server.port"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request = "POST " + path + " HTTP/1.0\r\nContent-Length: 0\r\n"
                    + String.join(
                            "",
                            Arrays.stream(headers).map(line -> line + "\r\n").toList()) + "\r\n";
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            return new Answer(new String(socket.getInputStream().readAllBytes(), ISO_8859_1));
        }
    }

    private record Answer(String text) {

        int status() {
            return Integer.parseInt(text.split(" ", 3)[1]);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Counters.class, Calls.class})
    static class Application {}

    /** What reached a method. */
    static class Calls {

        private final AtomicInteger all = new AtomicInteger();
    }

    @RestController
    static class Counters {

        private final Calls calls;

        Counters(Calls calls) {
            this.calls = calls;
        }

        @PostMapping("/counted")
        @IdempotentIncrement(scope = "counted")
        int count() {
            return calls.all.incrementAndGet();
        }

        @PostMapping("/optional")
        @IdempotentIncrement(scope = "optional", required = false)
        int countWithOrWithoutKey() {
            return calls.all.incrementAndGet();
        }
    }
}
