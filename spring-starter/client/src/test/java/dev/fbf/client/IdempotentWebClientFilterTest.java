package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

class IdempotentWebClientFilterTest extends ClientContract {

    @Override
    String send(
            FbfClientProperties properties, Duration patience, HttpMethod method, String path, HttpHeaders headers) {
        WebClient client = Clients.web(server, properties, patience).build();
        try {
            return Objects.requireNonNull(client.method(method)
                    .uri(path)
                    .headers(all -> all.addAll(headers))
                    .bodyValue("hello")
                    .retrieve()
                    .bodyToMono(String.class)
                    .block());
        } catch (WebClientResponseException e) {
            throw new StatusException(e.getStatusCode().value());
        }
    }

    @Test
    void aBodyThatIsPublishedIsPublishedAnewForEachTry() {
        server.thenLosesTheAnswer();

        Clients.web(server, Clients.quick())
                .build()
                .post()
                .uri("/pages/home/views")
                .body(Flux.just("hel", "lo"), String.class)
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
        server.thenLosesTheAnswer().thenAnswers(503);

        post(Clients.web(server, Clients.quick()).filter((request, next) -> {
            tries.incrementAndGet();
            return next.exchange(request);
        }));

        assertThat(tries).hasValue(3);
    }

    @Test
    void aFilterBeforeThatRetriesKeepsTheKey() {
        server.thenLosesTheAnswer();

        post(Clients.web(server, Clients.once())
                .filters(filters ->
                        filters.add(0, (request, next) -> next.exchange(request).retry(1))));

        assertThat(server.keys()).hasSize(2);
        assertThat(new HashSet<>(server.keys())).hasSize(1);
    }

    @Test
    void aTimeoutOfAFilterIsALostAnswer() {
        AtomicInteger tries = new AtomicInteger();

        post(Clients.web(server, Clients.quick())
                .filter((request, next) -> tries.incrementAndGet() == 1
                        ? Mono.error(new TimeoutException("late"))
                        : next.exchange(request)));

        assertThat(tries).hasValue(2);
    }

    @Test
    void whatIsNoLostAnswerIsThrownAtOnce() {
        IllegalStateException failure = new IllegalStateException("no token");
        AtomicInteger tries = new AtomicInteger();

        assertThatIllegalStateException()
                .isThrownBy(() -> post(Clients.web(server, Clients.quick()).filter((request, next) -> {
                    tries.incrementAndGet();
                    return Mono.error(failure);
                })))
                .isSameAs(failure);
        assertThat(tries).hasValue(1);
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
