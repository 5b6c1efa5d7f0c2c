package dev.fbf.loadtest.torture.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.torture.client.Attempt.Outcome;
import org.junit.jupiter.api.Test;

class AttemptTest {

    @Test
    void survivesItsPacking() {
        for (Outcome outcome : Outcome.values()) {
            for (Attempt.Kind kind : Attempt.Kind.values()) {
                for (boolean replayed : new boolean[] {true, false}) {
                    Attempt attempt =
                            new Attempt(Integer.MAX_VALUE, Integer.MAX_VALUE, 123_456, 503, outcome, kind, replayed);
                    assertThat(Attempt.of(attempt.first(), attempt.second())).isEqualTo(attempt);
                }
            }
        }
    }
}
