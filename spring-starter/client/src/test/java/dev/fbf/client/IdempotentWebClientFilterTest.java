package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class IdempotentWebClientFilterTest extends ClientContract {

    /** How requests are sent: what becomes of a canceled exchange depends on it. */
    ClientHttpConnector connector(Duration timeout) {
        return Clients.overJdk(timeout);
    }

    private WebClient.Builder web(FbfClientProperties properties) {
        return Clients.web(server, properties, connector(Clients.TIMEOUT));
    }

    @Override
    String send(FbfClientProperties properties, Duration timeout, HttpMethod method, String path, HttpHeaders headers) {
        WebClient client = Clients.web(server, properties, connector(timeout)).build();
        try {
            return Objects.requireNonNull(client.method(method)
                    .uri(path)
                    .headers(all -> all.addAll(headers))
                    .bodyValue("hello")
                    .retrieve()
                    .bodyToMono(String.class)
                    .block());
        } catch (WebClientResponseException e) {
            throw new StatusException(e.getStatusCode().value(), e.getResponseBodyAsString());
        }
    }

    @Test
    void aBodyThatIsPublishedIsPublishedAnewForEachTry() {
        server.thenLosesTheResponse();

        web(Clients.quick())
                .build()
                .post()
                .uri("/pages/home/views")
                .body((Object) Flux.just("hel", "lo"), String.class)
                .retrieve()
                .toBodilessEntity()
                .block();

        assertThat(server.received())
                .hasSize(2)
                .extracting(FlakyServer.Received::body)
                .containsOnly("hello");
    }

    @Test
    void whatIsNoLostResponseIsThrownAtOnce() {
        IllegalStateException failure = new IllegalStateException("no token");
        AtomicInteger tries = new AtomicInteger();

        assertThatIllegalStateException()
                .isThrownBy(() -> post(web(Clients.quick()).filter((request, next) -> {
                    tries.incrementAndGet();
                    return Mono.error(failure);
                })))
                .isSameAs(failure);
        assertThat(tries).hasValue(1);
    }

    @Test
    void allResponsesButTheCallersAreReleased() {
        AtomicInteger released = new AtomicInteger();
        ClientRequest request = ClientRequest.create(HttpMethod.POST, URI.create("http://localhost/pages/home/views"))
                .build();
        Flux<DataBuffer> body = Flux.<DataBuffer>empty().doFirst(released::incrementAndGet);

        new IdempotentWebClientFilter(Clients.quick())
                .filter(
                        request,
                        tried -> Mono.fromSupplier(() -> ClientResponse.create(HttpStatus.CONFLICT)
                                .body(body)
                                .build()))
                .doOnNext(last -> assertThat(released).hasValue(4))
                .flatMap(ClientResponse::releaseBody)
                .block();

        assertThat(released).hasValue(5);
    }

    private static void post(WebClient.Builder client) {
        client.build()
                .post()
                .uri("/pages/home/views")
                .bodyValue("hello")
                .retrieve()
                .toBodilessEntity()
                .block();
    }
}
