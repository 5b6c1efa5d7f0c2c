package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.client.FbfClientProperties;
import dev.fbf.client.IdempotentRestClientInterceptor;
import dev.fbf.client.IdempotentWebClientFilter;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The client half and the server half, with a network between them that loses three answers in ten. */
@Tag("slow")
@SampleAppTest
class ClientAgainstTheServerTest {

    private static final int OPERATIONS = 100;
    private static final int AT_ONCE = 8;

    interface Pages {

        @PostExchange("/pages/{page}/views")
        void view(@PathVariable String page);
    }

    private final String server;
    private final RestTestClient http;

    ClientAgainstTheServerTest(@LocalServerPort int port) {
        this.server = "http://localhost:" + port;
        this.http = RestTestClient.bindToServer().baseUrl(server).build();
    }

    @BeforeEach
    void loseResponses() {
        http.put()
                .uri("/faults")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"lostResponses\": 0.3, \"seconds\": 60}")
                .exchange()
                .expectStatus()
                .isOk();
    }

    @AfterEach
    void switchOff() {
        http.delete().uri("/faults").exchange().expectStatus().isOk();
    }

    @Test
    void aRestClientCountsEachOperationOnce() {
        RestClient client = restClient();

        assertCountsEachOperationOnce(
                "rest-client",
                Mono.fromRunnable(() ->
                        client.post().uri("/pages/rest-client/views").retrieve().toBodilessEntity()));
    }

    @Test
    void aWebClientCountsEachOperationOnce() {
        WebClient client = WebClient.builder()
                .baseUrl(server)
                .filter(new IdempotentWebClientFilter(patient()))
                .build();

        assertCountsEachOperationOnce(
                "web-client",
                // a request of its own for each operation: one request cannot be subscribed to by several threads at
                // once
                Mono.defer(() ->
                        client.post().uri("/pages/web-client/views").retrieve().toBodilessEntity()));
    }

    @Test
    void anHttpInterfaceCountsEachOperationOnce() {
        Pages pages = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(restClient()))
                .build()
                .createClient(Pages.class);

        assertCountsEachOperationOnce("http-interface", Mono.fromRunnable(() -> pages.view("http-interface")));
    }

    private RestClient restClient() {
        return RestClient.builder()
                .baseUrl(server)
                .requestInterceptor(new IdempotentRestClientInterceptor(patient()))
                .build();
    }

    /** Hardly waits, and tries so often that no operation is given up: once in 10^10 operations all tries are lost. */
    private static FbfClientProperties patient() {
        return new Binder(new MapConfigurationPropertySource(Map.of(
                        "fbf.client.max-attempts", 20, "fbf.client.delay", "2ms", "fbf.client.max-delay", "100ms")))
                .bind("fbf.client", FbfClientProperties.class)
                .get();
    }

    private void assertCountsEachOperationOnce(String page, Mono<?> view) {
        Flux.range(0, OPERATIONS)
                .flatMap(i -> view.subscribeOn(Schedulers.boundedElastic()), AT_ONCE)
                .blockLast();

        http.get()
                .uri("/pages/{page}", page)
                .exchange()
                .expectBody()
                .jsonPath("$.views")
                .isEqualTo(OPERATIONS);
        http.get()
                .uri("/faults")
                .exchange()
                .expectBody()
                .jsonPath("$.lostSoFar")
                .value(Integer.class, lost -> assertThat(lost).isPositive());
    }
}
