package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.InterruptedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientResponseException;

class IdempotentRestClientInterceptorTest extends ClientContract {

    @Override
    String send(
            FbfClientProperties properties, Duration patience, HttpMethod method, String path, HttpHeaders headers) {
        RestClient client = Clients.rest(server, properties, patience).build();
        try {
            return Objects.requireNonNull(client.method(method)
                    .uri(path)
                    .headers(all -> all.addAll(headers))
                    .body("hello")
                    .retrieve()
                    .body(String.class));
        } catch (RestClientResponseException e) {
            throw new StatusException(e.getStatusCode().value());
        }
    }

    @Test
    void interceptorsAddedLaterSeeEveryTry() {
        AtomicInteger tries = new AtomicInteger();
        server.thenLosesTheAnswer().thenAnswers(503);

        post(Clients.rest(server, Clients.quick()).requestInterceptor((request, body, execution) -> {
            tries.incrementAndGet();
            return execution.execute(request, body);
        }));

        assertThat(tries).hasValue(3);
    }

    @Test
    void whatIsNoLostAnswerIsThrownAtOnce() {
        IllegalStateException failure = new IllegalStateException("no token");
        AtomicInteger tries = new AtomicInteger();

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
        AtomicInteger tries = new AtomicInteger();
        MockClientHttpRequest request =
                new MockClientHttpRequest(HttpMethod.POST, URI.create("http://localhost/pages/home/views"));

        assertThatExceptionOfType(InterruptedIOException.class)
                .isThrownBy(() -> new IdempotentRestClientInterceptor(Clients.quick())
                        .intercept(request, new byte[0], (tried, body) -> {
                            tries.incrementAndGet();
                            Thread.currentThread().interrupt();
                            return new MockClientHttpResponse(new byte[0], HttpStatus.SERVICE_UNAVAILABLE);
                        }));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(tries).hasValue(1);
    }

    private static void post(RestClient.Builder client) {
        client.build().post().uri("/pages/home/views").body("hello").retrieve().toBodilessEntity();
    }
}
