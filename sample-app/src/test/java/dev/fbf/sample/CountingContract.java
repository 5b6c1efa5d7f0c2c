package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts through the HTTP API of the sample app, however that was started. */
abstract class CountingContract {

    private static final int OPERATIONS = 100;
    private static final int REQUESTS_EACH = 3;
    private static final int AT_ONCE = 8;

    private final HttpClient http = HttpClient.newHttpClient();

    /** The port of the sample app. */
    abstract int port() throws IOException;

    @Test
    void eachOperationCountsOnceHoweverOftenItIsSent() throws Exception {
        sendEachOperationRepeatedly("/pages/exact/views");
        sendEachOperationRepeatedly("/unguarded/pages/exact/views");
        sendEachOperationRepeatedly("/grouped/pages/exact/views");

        assertThat(send(request("/pages/exact")).body())
                .isEqualTo("{\"page\":\"exact\",\"views\":100,\"unguardedViews\":300}");
        assertThat(send(request("/grouped/pages/exact")).body()).isEqualTo("{\"page\":\"exact\",\"views\":100}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/pages/replayed/views", "/grouped/pages/replayed/views"})
    void aRetryIsAnsweredWithTheCurrentViews(String path) throws Exception {
        HttpRequest operation = operation(path, "the-same");

        HttpResponse<String> first = send(operation);
        HttpResponse<String> retry = send(operation);

        assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).hasValue("true");
        assertThat(retry.statusCode()).isEqualTo(200);
        assertThat(retry.body()).isEqualTo("{\"page\":\"replayed\",\"views\":1}");
    }

    @Test
    void operatorsSeeThatNothingIsInDoubtAndThatTheAppIsReady() throws Exception {
        assertThat(send(request("/actuator/fbf")).body())
                .contains(",\"ready\":true,\"inDoubt\":[],\"lostCommits\":{},\"scopes\":[{\"scope\":\"counters\",")
                .contains("},{\"scope\":\"page-views\",");
        assertThat(send(request("/actuator/health/readiness")).body()).contains("\"status\":\"UP\"");
        assertThat(send(request("/actuator/health")).body())
                .contains("\"fbf\":{")
                .contains("\"status\":\"UP\"");
    }

    /** Half of the operations meet their retries at once, and half long after. */
    private void sendEachOperationRepeatedly(String path) throws Exception {
        List<Callable<Void>> together = new ArrayList<>();
        List<Callable<Void>> apart = new ArrayList<>();
        for (int i = 0; i < OPERATIONS * REQUESTS_EACH; i++) {
            HttpRequest operation = operation(path, path.length() + "-" + i / REQUESTS_EACH);
            (i / REQUESTS_EACH % 2 == 0 ? together : apart).add(() -> sendUntilAcknowledged(operation));
        }
        Collections.shuffle(apart, new Random(1));
        sendAll(together);
        sendAll(apart);
    }

    private static void sendAll(List<Callable<Void>> requests) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(AT_ONCE);
        try {
            for (Future<Void> acknowledged : clients.invokeAll(requests)) {
                acknowledged.get();
            }
        } finally {
            clients.shutdownNow();
        }
    }

    private Void sendUntilAcknowledged(HttpRequest operation) throws IOException, InterruptedException {
        HttpResponse<String> response = send(operation);
        while (response.statusCode() == 409 || response.statusCode() == 503) {
            Thread.sleep(20);
            response = send(operation);
        }
        assertThat(response.statusCode()).isEqualTo(200);
        return null;
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest operation(String path, String key) throws IOException {
        return HttpRequest.newBuilder(uri(path))
                .header("Idempotency-Key", '"' + key + '"')
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
    }

    private HttpRequest request(String path) throws IOException {
        return HttpRequest.newBuilder(uri(path)).build();
    }

    private URI uri(String path) throws IOException {
        return URI.create("http://localhost:" + port() + path);
    }
}
