package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

class RetriesAroundTheCallTest {

    @RegisterExtension
    final FlakyServer server = new FlakyServer();

    private final RestClient rest = Clients.rest(server, Clients.once()).build();
    private final WebClient web = Clients.web(server, Clients.once()).build();

    private ResponseEntity<Void> view(String page) {
        return rest.post()
                .uri("/pages/{page}/views", page)
                .body("hello")
                .retrieve()
                .toBodilessEntity();
    }

    private Mono<ResponseEntity<Void>> viewLater(String page) {
        return web.post()
                .uri("/pages/{page}/views", page)
                .bodyValue("hello")
                .retrieve()
                .toBodilessEntity();
    }

    @Test
    void resilience4jKeepsTheKey() {
        server.thenLosesTheResponse().thenAnswers(503);
        Retry retry = Retry.of(
                "views",
                RetryConfig.custom()
                        .maxAttempts(3)
                        .waitDuration(Duration.ofMillis(1))
                        .build());

        IdempotencyKeys.withNewKey(() -> retry.executeSupplier(() -> view("home")));

        assertThat(server.triesOfEachOperation()).containsExactly(3);
    }

    @Test
    void reactorsRetryKeepsTheKey() {
        server.thenLosesTheResponse().thenAnswers(503);

        viewLater("home").retry(2).as(ReactiveIdempotencyKeys::withNewKey).block();

        assertThat(server.triesOfEachOperation()).containsExactly(3);
    }

    @Test
    void aWebClientThatIsWaitedForHasTheKeyOfTheThread() {
        server.thenLosesTheResponse();
        Retry retry = Retry.of(
                "views", RetryConfig.custom().waitDuration(Duration.ofMillis(1)).build());

        IdempotencyKeys.withNewKey(
                () -> retry.executeSupplier(() -> viewLater("home").block()));

        assertThat(server.triesOfEachOperation()).containsExactly(2);
    }

    @Test
    void aCallWithinACallHasItsOwnKey() {
        IdempotencyKeys.withNewKey(() -> {
            view("home");
            IdempotencyKeys.withNewKey(() -> view("about"));
            return view("home");
        });

        assertThat(server.triesOfEachOperation()).containsExactly(2, 1);
    }

    @Test
    void aSecondOperationWithTheSameKeyIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> IdempotencyKeys.withNewKey(() -> {
                    view("home");
                    return view("about");
                }))
                .withMessageContaining("POST /pages/home/views")
                .withMessageContaining("POST /pages/about/views")
                .withMessageContaining("give each operation its own key");

        assertThat(server.received()).hasSize(1);
    }

    @Test
    void aSecondOperationWithTheSameKeyIsRefusedInAPipeline() {
        Mono<ResponseEntity<Void>> two = viewLater("home").then(viewLater("about"));

        assertThatIllegalStateException()
                .isThrownBy(() -> two.as(ReactiveIdempotencyKeys::withNewKey).block())
                .withMessageContaining("give each operation its own key");

        assertThat(server.received()).hasSize(1);
    }

    @Test
    void aPipelineOrAFutureWouldLoseTheKeyAndIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> IdempotencyKeys.withNewKey(() -> viewLater("home")))
                .withMessageContaining("ReactiveIdempotencyKeys");
        assertThatIllegalStateException()
                .isThrownBy(() -> IdempotencyKeys.withNewKey(() -> CompletableFuture.completedFuture("done")))
                .withMessageContaining("CompletableFuture");

        assertThat(server.received()).isEmpty();
    }

    @Test
    void anApplicationsKeyIsSentAsAString() throws Exception {
        IdempotencyKeys.withKey("order \"4711\" \\ 1", () -> view("home"));
        viewLater("home")
                .as(calls -> ReactiveIdempotencyKeys.withKey("4712", calls))
                .block();
        viewLater("home")
                .flux()
                .as(calls -> ReactiveIdempotencyKeys.withKey("4713", calls))
                .blockLast();

        assertThat(server.keys()).isEqualTo(List.of("\"order \\\"4711\\\" \\\\ 1\"", "\"4712\"", "\"4713\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "schlüssel", "line\nbreak"})
    void aKeyThatNoServerCouldReadIsRefused(String key) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IdempotencyKeys.withKey(key, () -> view("home")))
                .withMessageContaining("The key has " + key.length() + " characters");
        assertThatIllegalArgumentException().isThrownBy(() -> ReactiveIdempotencyKeys.withKey(key, viewLater("home")));
    }
}
