package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportJsonTest {

    private final JsonNode json = JsonMapper.shared()
            .readTree(ReportJson.of(new KnownReport().guardedCounter(11).report()));

    @Test
    void tellsHowToRepeatTheRun() {
        assertThat(json.at("/parameters/seed").asLong()).isEqualTo(42);
        assertThat(json.at("/parameters/giveUpAfter").asString()).isEqualTo("PT0.002S");
        assertThat(json.at("/date").asString()).contains("T").endsWith("Z");
        assertThat(json.at("/jdk").asString()).isNotEmpty();
        assertThat(json.at("/cores").asInt()).isPositive();
    }

    @Test
    void tellsWhatWasCounted() {
        assertThat(json.at("/endpoints/guarded/expected").asLong()).isEqualTo(10);
        assertThat(json.at("/endpoints/guarded/counter").asLong()).isEqualTo(11);
        assertThat(json.at("/endpoints/guarded/errorPercent").asDouble()).isEqualTo(10.0);
        assertThat(json.at("/endpoints/unguarded/counter").asLong()).isEqualTo(24);
        assertThat(json.at("/endpoints/unguarded/faults/resent/lost-answer").asLong())
                .isEqualTo(4);
        assertThat(json.at("/endpoints/unguarded/noFaults/p50Millis").asDouble())
                .isEqualTo(1.2);
        assertThat(json.at("/ratio/guarded").asDouble()).isEqualTo(1.25);
    }

    @Test
    void tellsWhatFailed() {
        assertThat(json.at("/complaints").size()).isEqualTo(1);
    }
}
