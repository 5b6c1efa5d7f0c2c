package dev.fbf.sample.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LostResponsesTest {

    private final LostResponses lostResponses = new LostResponses();

    @Test
    void strikesTheShareThatWasAskedFor() {
        lostResponses.switchOn(0.25, Duration.ofHours(1));

        assertThat(strikesOf(100_000)).isCloseTo(25_000, within(1_000L));
    }

    @Test
    void switchesItselfOffWhenItsTimeIsOver() {
        lostResponses.switchOn(1.0, Duration.ofSeconds(1));
        assertThat(lostResponses.status()).isEqualTo(new LostResponses.Status(1.0, 1, 0));

        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !lostResponses.strikes());

        assertThat(strikesOf(1_000)).isZero();
        assertThat(lostResponses.status()).isEqualTo(new LostResponses.Status(0.0, 0, 0));
    }

    @Test
    void countsAnewWheneverItIsSwitchedOn() {
        lostResponses.switchOn(1.0, Duration.ofHours(1));
        lostResponses.countOne();
        lostResponses.switchOff();
        assertThat(lostResponses.status().lostSoFar()).isOne();

        lostResponses.switchOn(1.0, Duration.ofHours(1));
        assertThat(lostResponses.status().lostSoFar()).isZero();
    }

    private long strikesOf(int tries) {
        return IntStream.range(0, tries).filter(i -> lostResponses.strikes()).count();
    }
}
