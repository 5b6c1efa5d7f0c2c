package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The rules for servers of draft-ietf-httpapi-idempotency-key-header-07, each as a test of its name; docs/research/conformance.md has
 * the table. In ledger mode, where a retry is answered as the first request was.
 */
@SampleAppTest
@TestPropertySource(properties = "fbf.mode=ledger")
class IdempotencyDraftTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private final String server;
    private final DataSource dataSource;
    private final String page = UUID.randomUUID().toString();

    IdempotencyDraftTest(@LocalServerPort int port, @Autowired DataSource dataSource) {
        this.server = "http://localhost:" + port;
        this.dataSource = dataSource;
    }

    /** Section 2.1: an item structured field, whose value MUST be a string. */
    @Test
    void theValueIsAString() throws Exception {
        assertThat(view("\"" + UUID.randomUUID() + "\"").statusCode()).isEqualTo(200);
        assertThat(view("\"" + UUID.randomUUID() + "\";parameter=1").statusCode())
                .isEqualTo(200);
        assertThat(view("(\"a\" \"b\")").statusCode()).isEqualTo(400);
        assertThat(view("\"a\", \"b\"").statusCode()).isEqualTo(400);
        assertThat(view("\"unclosed").statusCode()).isEqualTo(400);
    }

    /** Section 2.2: a key MUST NOT be reused with another request payload; section 2.7: 422. */
    @Test
    void aKeyThatIsReusedWithAnotherPayloadIsAnswered422() throws Exception {
        String key = newKey();
        assertThat(view(key).statusCode()).isEqualTo(200);

        assertProblem(post("/pages/" + page + "-other/views", key), 422);
    }

    /** Section 2.3: a resource MAY require keys that carry their time. */
    @Test
    void aKeyOfATimeThatIsForgottenIsNeverAppliedAgain() throws Exception {
        assertProblem(view("\"01ARYZ6S41TSV4RRFFQ69G5FAV\""), 412);
        assertThat(views()).isZero();
    }

    /** Section 2.6, first time request: SHOULD be processed normally. */
    @Test
    void aFirstRequestIsProcessedNormally() throws Exception {
        HttpResponse<String> first = view(newKey());

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(views()).isEqualTo(1);
    }

    /** Section 2.6, retry: SHOULD be answered with the result of the completed operation. */
    @Test
    void aRetryIsAnsweredWithTheResultOfTheCompletedOperation() throws Exception {
        String key = newKey();
        HttpResponse<String> first = view(key);
        view(newKey());
        // responses are recorded a little after the operations
        HttpResponse<String> retry = Awaitility.await()
                .until(() -> view(key), response -> response.body().equals(first.body()));

        assertThat(retry.statusCode()).isEqualTo(first.statusCode());
        assertThat(retry.body()).contains("\"views\":1");
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(views()).isEqualTo(2);
    }

    /** Section 2.7: a missing key SHOULD be answered 400. */
    @Test
    void aMissingKeyIsAnswered400() throws Exception {
        HttpRequest keyless = HttpRequest.newBuilder(URI.create(server + "/pages/" + page + "/views"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();

        assertProblem(http.send(keyless, HttpResponse.BodyHandlers.ofString()), 400);
        assertThat(views()).isZero();
    }

    /** Section 2.6, concurrent request, and section 2.7: SHOULD be answered 409 with a description of the problem. */
    @Test
    @SuppressWarnings("unchecked") // anyOf forgets the type
    void aConcurrentRequestIsAnswered409() throws Exception {
        String key = newKey();
        CompletableFuture<HttpResponse<String>> one;
        CompletableFuture<HttpResponse<String>> other;
        HttpResponse<String> refused;
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE page IN EXCLUSIVE MODE");
            one = http.sendAsync(request(path(), key), HttpResponse.BodyHandlers.ofString());
            other = http.sendAsync(request(path(), key), HttpResponse.BodyHandlers.ofString());
            refused = (HttpResponse<String>) CompletableFuture.anyOf(one, other).get(30, TimeUnit.SECONDS);
            connection.rollback();
        }

        assertProblem(refused, 409);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(Stream.of(one.get(), other.get()).map(HttpResponse::statusCode))
                .containsExactlyInAnyOrder(200, 409);
        assertThat(views()).isEqualTo(1);
    }

    private static void assertProblem(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        JsonNode problem = json(answer);
        assertThat(problem.path("type").asString()).startsWith("tag:fbf.dev,2026:problem:");
        assertThat(problem.path("title").asString()).isNotBlank();
        assertThat(problem.path("detail").asString()).isNotBlank();
    }

    private long views() throws IOException, InterruptedException {
        return json(get("/pages/" + page)).path("views").asLong();
    }

    private HttpResponse<String> view(String key) throws IOException, InterruptedException {
        return post(path(), key);
    }

    private HttpResponse<String> post(String path, String key) throws IOException, InterruptedException {
        return http.send(request(path, key), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server + path))
                .header("Accept", "application/json")
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest request(String path, String key) {
        return HttpRequest.newBuilder(URI.create(server + path))
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
    }

    private String path() {
        return "/pages/" + page + "/views";
    }

    private static String newKey() {
        return '"' + UUID.randomUUID().toString() + '"';
    }

    private static JsonNode json(HttpResponse<String> answer) {
        return JsonMapper.builder().build().readTree(answer.body());
    }
}
