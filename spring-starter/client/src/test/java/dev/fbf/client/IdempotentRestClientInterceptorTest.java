package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientResponseException;

class IdempotentRestClientInterceptorTest extends ClientContract {

    private final AtomicInteger tries = new AtomicInteger();

    @Override
    String send(FbfClientProperties properties, Duration timeout, HttpMethod method, String path, HttpHeaders headers) {
        RestClient client = Clients.rest(server, properties, timeout).build();
        try {
            return Objects.requireNonNull(client.method(method)
                    .uri(path)
                    .headers(all -> all.addAll(headers))
                    .body("hello")
                    .retrieve()
                    .body(String.class));
        } catch (RestClientResponseException e) {
            throw new StatusException(e.getStatusCode().value(), e.getResponseBodyAsString());
        }
    }

    @Test
    void whatIsNoLostResponseIsThrownAtOnce() {
        IllegalStateException failure = new IllegalStateException("no token");

        assertThatIllegalStateException()
                .isThrownBy(() ->
                        post(Clients.rest(server, Clients.quick()).requestInterceptor((request, body, execution) -> {
                            tries.incrementAndGet();
                            throw failure;
                        })))
                .isSameAs(failure);
        assertThat(tries).hasValue(1);
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsStopsTrying() {
        assertThatExceptionOfType(InterruptedIOException.class)
                .isThrownBy(() -> intercept((request, body) -> {
                    Thread.currentThread().interrupt();
                    return response(503);
                }));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(tries).hasValue(1);
    }

    @Test
    void allResponsesButTheCallersAreClosed() throws IOException {
        List<CountedResponse> responses = new ArrayList<>();
        ClientHttpResponse last = intercept((request, body) -> {
            responses.add(new CountedResponse());
            return responses.get(responses.size() - 1);
        });

        assertThat(responses).hasSize(5).last().isSameAs(last);
        assertThat(responses).extracting(response -> response.timesClosed).containsExactly(1, 1, 1, 1, 0);
    }

    /** 503, and how often it was closed. */
    private static class CountedResponse extends MockClientHttpResponse {

        int timesClosed;

        CountedResponse() {
            super(new byte[0], 503);
        }

        @Override
        public void close() {
            timesClosed++;
            super.close();
        }
    }

    private ClientHttpResponse intercept(ClientHttpRequestExecution execution) throws IOException {
        MockClientHttpRequest request =
                new MockClientHttpRequest(HttpMethod.POST, URI.create("http://localhost/pages/home/views"));
        return new IdempotentRestClientInterceptor(Clients.quick()).intercept(request, new byte[0], (tried, body) -> {
            tries.incrementAndGet();
            return execution.execute(tried, body);
        });
    }

    private static MockClientHttpResponse response(int status) {
        return new MockClientHttpResponse(new byte[0], status);
    }

    private static void post(RestClient.Builder client) {
        client.build().post().uri("/pages/home/views").body("hello").retrieve().toBodilessEntity();
    }
}
