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

/** What only the database knows: operations whose connection is cut during their COMMIT. */
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

    private JsonNode status(String path) {
        return requireNonNull(http.get()
                .uri(path)
                .exchange()
                .expectBody(JsonNode.class)
                .returnResult()
                .getResponseBody());
    }
}
