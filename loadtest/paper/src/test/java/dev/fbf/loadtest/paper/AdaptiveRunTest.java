package dev.fbf.loadtest.paper;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AdaptiveRunTest {

    @Test
    void beginsAsThePapersRunDoes() {
        AdaptiveTrace.Change first = AdaptiveTrace.record(
                        Rule.CORRECTED, AdaptiveRun::operationsBy, AdaptiveRun.TARGET, 20, 1)
                .firstStepUp();

        assertThat(first.toString()).isEqualTo("16 s: 3 → 6 filters, 11 → 10 s");
    }
}
