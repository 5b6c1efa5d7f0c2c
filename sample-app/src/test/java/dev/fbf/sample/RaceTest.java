package dev.fbf.sample;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.client.RestTestClient;
import tools.jackson.databind.JsonNode;

@SampleAppTest
class RaceTest {

    private final RestTestClient http;

    RaceTest(@LocalServerPort int port) {
        this.http = RestTestClient.bindToServer()
                .baseUrl("http://localhost:" + port)
                .build();
    }

    @Test
    void thereIsOneAtATimeAndOnlyTheUnguardedCounterIsWrong() {
        http.post().uri("/race").exchange().expectStatus().isEqualTo(HttpStatus.ACCEPTED);
        http.post().uri("/race").exchange().expectStatus().isEqualTo(HttpStatus.CONFLICT);

        JsonNode standings = await().atMost(Duration.ofSeconds(30))
                .until(this::status, status -> status.path("counting").isNull())
                .path("standings");

        assertThat(standings.size()).isEqualTo(3);
        JsonNode unguarded = standings.get(0);
        assertThat(unguarded.path("contender").asString()).isEqualTo("unguarded");
        assertThat(wrong(unguarded) * 10)
                .isBetween(
                        unguarded.path("operations").asLong(),
                        unguarded.path("operations").asLong() + 5 * 10);
        for (JsonNode exact : new JsonNode[] {standings.get(1), standings.get(2)}) {
            assertThat(exact.path("operations").asLong()).isPositive();
            assertThat(wrong(exact)).as(exact.toString()).isZero();
        }
        for (JsonNode standing : standings) {
            assertThat(standing.path("perSecond").asLong()).isPositive();
            assertThat(standing.path("p50Millis").asDouble())
                    .isPositive()
                    .isLessThanOrEqualTo(standing.path("p99Millis").asDouble());
        }
    }

    private static long wrong(JsonNode standing) {
        return standing.path("counted").asLong() - standing.path("operations").asLong();
    }

    private JsonNode status() {
        return requireNonNull(http.get()
                .uri("/race")
                .exchange()
                .expectBody(JsonNode.class)
                .returnResult()
                .getResponseBody());
    }
}
