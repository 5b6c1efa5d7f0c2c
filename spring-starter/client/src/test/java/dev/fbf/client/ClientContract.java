package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fbf.client.FlakyServer.Received;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** What a client does with requests, whatever library sends them. Some tests wait for a second, meanwhile others run. */
@Execution(ExecutionMode.CONCURRENT)
abstract class ClientContract {

    private static final String VIEWS = "/pages/home/views";
    private static final String UUID_V7 = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

    @RegisterExtension
    final FlakyServer server = new FlakyServer();

    /**
     * Sends a request with the body "hello", by a client with the given properties that waits so long for a response.
     *
     * @return the response's body
     * @throws StatusException if the status is none of success
     */
    abstract String send(
            FbfClientProperties properties, Duration timeout, HttpMethod method, String path, HttpHeaders headers);

    /** The status and the body that a caller sees in the exception of the library. */
    static final class StatusException extends RuntimeException {

        private static final long serialVersionUID = 1;

        final int status;
        final String body;

        StatusException(int status, String body) {
            super("status=" + status);
            this.status = status;
            this.body = body;
        }
    }

    private String post() {
        return post(Clients.quick(), new HttpHeaders());
    }

    private String post(FbfClientProperties properties, HttpHeaders headers) {
        return send(properties, Clients.TIMEOUT, HttpMethod.POST, VIEWS, headers);
    }

    private String sendBy(HttpMethod method, FbfClientProperties properties) {
        return send(properties, Clients.TIMEOUT, method, "/pages/home", new HttpHeaders());
    }

    private void assertStatus(int status, Runnable call) {
        assertThatExceptionOfType(StatusException.class)
                .isThrownBy(call::run)
                .satisfies(e -> assertThat(e.status).isEqualTo(status))
                .satisfies(e -> assertThat(e.body).isEqualTo("oops"));
    }

    @Test
    void aRequestCarriesAUuidOfVersion7InQuotes() {
        assertThat(post()).isEqualTo("done");

        assertThat(server.keys()).singleElement().asString().matches('"' + UUID_V7 + '"');
    }

    @Test
    void aLostResponseIsAskedForAgainWithTheSameKeyAndBody() {
        server.thenLosesTheResponse().thenLosesTheResponse();

        assertThat(post()).isEqualTo("done");

        assertThat(server.triesOfEachOperation()).containsExactly(3);
        assertThat(server.received()).extracting(Received::body).containsOnly("hello");
    }

    @Test
    void aResponseThatDoesNotComeInTimeIsAskedForAgainWithTheSameKey() {
        server.thenKeepsSilent();

        assertThat(send(Clients.quick(), Duration.ofSeconds(1), HttpMethod.POST, VIEWS, new HttpHeaders()))
                .isEqualTo("done");

        assertThat(server.triesOfEachOperation()).containsExactly(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {409, 502, 503, 504})
    void aResponseThatDoesNotTellTheOutcomeIsAskedForAgainWithTheSameKey(int status) {
        server.thenAnswers(status).thenAnswers(status, "Retry-After: 0");

        assertThat(post()).isEqualTo("done");

        assertThat(server.triesOfEachOperation()).containsExactly(3);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 412, 422, 500})
    void aResponseThatTellsTheOutcomeIsGivenToTheCaller(int status) {
        server.thenAnswers(status);

        assertStatus(status, this::post);

        assertThat(server.received()).hasSize(1);
    }

    @Test
    void theServersWishToWaitIsHonoured() {
        server.thenAnswers(503, "Retry-After: 1");
        long start = System.nanoTime();

        post();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(server.triesOfEachOperation()).containsExactly(2);
    }

    @Test
    void aServerThatAsksForTooLongAWaitIsNotAskedAgain() {
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.now().plusSeconds(3600).atOffset(ZoneOffset.UTC));
        server.thenAnswers(503, "Retry-After: 11").thenAnswers(503, "Retry-After: " + date);

        assertStatus(503, this::post);
        assertStatus(503, this::post);

        assertThat(server.triesOfEachOperation()).containsExactly(1, 1);
    }

    @Test
    void theLastResponseIsGivenToTheCallerWhenThereWereEnoughTries() {
        server.thenAnswers(503)
                .thenAnswers(409)
                .thenAnswers(503)
                .thenAnswers(409)
                .thenAnswers(503);

        assertStatus(503, this::post);

        assertThat(server.triesOfEachOperation()).containsExactly(5);
    }

    @Test
    void theCallersOwnKeyIsKept() {
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", "order 4711");
        server.thenLosesTheResponse().thenAnswers(409);

        post(Clients.quick(), headers);

        assertThat(server.keys()).isEqualTo(Collections.nCopies(3, "order 4711"));
    }

    @Test
    void aKeyIsNotSentAgainWhenTheWindowWouldPassBeforehand() {
        FbfClientProperties properties = Clients.quick("retry-window=1m", "delay=2s");
        HttpHeaders headers = new HttpHeaders();
        headers.set("Idempotency-Key", Keys.madeAt(Instant.now().minusSeconds(59)));
        server.thenLosesTheResponse().thenAnswers(503);

        assertThatThrownBy(() -> post(properties, headers)).hasCauseInstanceOf(IOException.class);
        assertStatus(503, () -> post(properties, headers));

        assertThat(server.received()).hasSize(2);
    }

    @Test
    void aRequestIsNotSentAgainWhenTheDeadlineWouldPassBeforehand() {
        FbfClientProperties properties = Clients.quick("max-delay=1m", "deadline=50s");
        server.thenLosesTheResponse().thenAnswers(503, "Retry-After: 60");

        assertStatus(503, () -> post(properties, new HttpHeaders()));

        assertThat(server.received()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE"})
    void otherMethodsAreLeftAlone(String method) {
        server.thenAnswers(503);

        assertStatus(503, () -> sendBy(HttpMethod.valueOf(method), Clients.quick()));

        assertThat(server.keys()).isEqualTo(Collections.singletonList(null));
    }

    @Test
    void headerMethodsAndStatusesAreThoseOfTheProperties() {
        FbfClientProperties properties = Clients.quick("header=X-Operation", "methods=PUT", "retried-statuses=429");
        server.thenAnswers(429).thenAnswers(503);

        assertStatus(503, () -> sendBy(HttpMethod.PUT, properties));

        List<String> keys = server.received().stream()
                .map(request -> request.headers().getOrDefault("X-Operation", ""))
                .toList();
        assertThat(keys).hasSize(2).allMatch(key -> key.matches('"' + UUID_V7 + '"'));
        assertThat(Set.copyOf(keys)).hasSize(1);
    }
}
