package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fbf.loadtest.Tally.Cause;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TallyTest {

    private final Tally tally = new Tally();

    @Test
    void findsPercentilesWithinAThousandth() {
        for (int i = 1; i <= 1_000; i++) {
            tally.answeredAfter(Duration.ofNanos(i * 10_000L).toNanos());
        }

        assertThat(tally.outcome().p50Millis()).isCloseTo(5.0, within(0.005));
        assertThat(tally.outcome().p99Millis()).isCloseTo(9.9, within(0.0099));
    }

    @Test
    void tellsOfTheFirstFailure() {
        tally.failed("one");
        tally.failed("two");

        assertThat(tally.outcome().failed()).isEqualTo(2);
        assertThat(tally.outcome().firstFailure()).contains("one");
    }

    @Test
    void namesEachCauseEvenIfItNeverCame() {
        assertThat(tally.outcome().resent()).containsOnlyKeys(Cause.values()).containsEntry(Cause.ON_PURPOSE, 0L);
    }
}
