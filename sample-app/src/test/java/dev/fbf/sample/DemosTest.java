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

/** What the page can show beside the counters: connections that are killed, and a race. */
@SampleAppTest
class DemosTest {

    private final RestTestClient http;

    DemosTest(@LocalServerPort int port) {
        this.http = RestTestClient.bindToServer()
                .baseUrl("http://localhost:" + port)
                .build();
    }

    @Test
    void whatHadBeenCommittedIsNotAppliedAgainAndTheRestIsAppliedByTheRetry() {
        http.post().uri("/kill").exchange().expectStatus().isEqualTo(HttpStatus.ACCEPTED);
        http.post().uri("/kill").exchange().expectStatus().isEqualTo(HttpStatus.CONFLICT);

        JsonNode status = await().atMost(Duration.ofSeconds(30))
                .until(() -> status("/kill"), now -> now.path("stage").isNull());

        assertThat(status.path("connections").asInt()).isGreaterThanOrEqualTo(8);
        assertThat(status.path("outcomes").findValuesAsString("cut"))
                .containsExactly("REQUEST", "RESPONSE", "REQUEST", "RESPONSE");
        for (JsonNode outcome : status.path("outcomes")) {
            boolean wasCommitted = outcome.path("cut").asString().equals("RESPONSE");
            assertThat(outcome.path("settledAsApplied").asBoolean()).isEqualTo(wasCommitted);
            assertThat(outcome.path("counted").asLong()).isOne();
            assertThat(outcome.path("unguardedSent").asInt()).isGreaterThanOrEqualTo(2);
            assertThat(outcome.path("unguardedCounted").asLong()).isEqualTo(wasCommitted ? 2 : 1);
        }
    }

    @Test
    void thePageIsToldWhatThereIsToShow() {
        http.get().uri("/demos").exchange().expectBody().json("['kill', 'race']");
    }

    @Test
    void thereIsOneRaceAtATimeAndOnlyTheUnguardedCounterIsWrong() {
        http.post().uri("/race").exchange().expectStatus().isEqualTo(HttpStatus.ACCEPTED);
        http.post().uri("/race").exchange().expectStatus().isEqualTo(HttpStatus.CONFLICT);

        JsonNode standings = await().atMost(Duration.ofSeconds(30))
                .until(() -> status("/race"), status -> status.path("counting").isNull())
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

    private JsonNode status(String path) {
        return requireNonNull(http.get()
                .uri(path)
                .exchange()
                .expectBody(JsonNode.class)
                .returnResult()
                .getResponseBody());
    }
}
