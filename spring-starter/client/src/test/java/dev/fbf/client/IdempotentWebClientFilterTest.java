package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

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
    void filtersAddedLaterSeeEveryTry() {
        AtomicInteger tries = new AtomicInteger();
        server.thenLosesTheResponse().thenAnswers(503);

        post(web(Clients.quick()).filter((request, next) -> {
            tries.incrementAndGet();
            return next.exchange(request);
        }));

        assertThat(tries).hasValue(3);
    }

    @Test
    void aFilterBeforeThatRetriesKeepsTheKey() {
        server.thenLosesTheResponse();

        post(web(Clients.once())
                .filters(filters ->
                        filters.add(0, (request, next) -> next.exchange(request).retry(1))));

        assertThat(server.triesOfEachOperation()).containsExactly(2);
    }

    @Test
    void aTimeoutOfAFilterIsALostResponse() {
        AtomicInteger tries = new AtomicInteger();

        post(web(Clients.quick())
                .filter((request, next) -> tries.incrementAndGet() == 1
                        ? Mono.error(new TimeoutException("late"))
                        : next.exchange(request)));

        assertThat(tries).hasValue(2);
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aFailureAmongItsOwnCausesIsALostResponseToo() {
        IOException failure = new IOException("lost");
        failure.initCause(new IOException(failure));
        AtomicInteger tries = new AtomicInteger();

        post(web(Clients.quick())
                .filter((request, next) -> tries.incrementAndGet() == 1
                        ? Mono.error(new WebClientRequestException(
                                failure, request.method(), request.url(), request.headers()))
                        : next.exchange(request)));

        assertThat(tries).hasValue(2);
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
    void theLastResponseIsReadByTheCallerItself() {
        for (int i = 0; i < 5; i++) {
            server.thenAnswers(503);
        }

        assertThat(web(Clients.quick())
                        .build()
                        .post()
                        .uri("/pages/home/views")
                        .bodyValue("hello")
                        .exchangeToMono(response -> response.toEntity(String.class))
                        .block())
                .satisfies(
                        response -> assertThat(response.getStatusCode().value()).isEqualTo(503))
                .satisfies(response -> assertThat(response.getBody()).isEqualTo("oops"));
    }

    @Test
    void aBodyThatCannotBePublishedAnewLeavesTheResponseToTheFirstTry() {
        Sinks.Many<String> once = Sinks.many().unicast().onBackpressureBuffer();
        once.tryEmitNext("hello");
        once.tryEmitComplete();
        server.thenAnswers(503, "Retry-After: 0");

        assertThatExceptionOfType(WebClientResponseException.ServiceUnavailable.class)
                .isThrownBy(() -> web(Clients.quick())
                        .build()
                        .post()
                        .uri("/pages/home/views")
                        .body((Object) once.asFlux(), String.class)
                        .retrieve()
                        .toBodilessEntity()
                        .block())
                .satisfies(e -> assertThat(e.getResponseBodyAsString()).isEqualTo("oops"));
        assertThat(server.received()).isNotEmpty();
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
