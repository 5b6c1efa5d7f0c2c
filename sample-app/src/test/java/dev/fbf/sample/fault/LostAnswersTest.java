package dev.fbf.sample.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LostAnswersTest {

    private final LostAnswers lostAnswers = new LostAnswers();

    @Test
    void strikesTheShareThatWasAskedFor() {
        lostAnswers.switchOn(0.25, Duration.ofHours(1));

        assertThat(strikesOf(100_000)).isCloseTo(25_000, within(1_000L));
    }

    @Test
    void switchesItselfOffWhenItsTimeIsOver() {
        lostAnswers.switchOn(1.0, Duration.ofSeconds(1));
        assertThat(lostAnswers.status()).isEqualTo(new LostAnswers.Status(1.0, 1, 0));

        Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !lostAnswers.strikes());

        assertThat(strikesOf(1_000)).isZero();
        assertThat(lostAnswers.status()).isEqualTo(new LostAnswers.Status(0.0, 0, 0));
    }

    @Test
    void countsAnewWheneverItIsSwitchedOn() {
        lostAnswers.switchOn(1.0, Duration.ofHours(1));
        lostAnswers.countOne();
        lostAnswers.switchOff();
        assertThat(lostAnswers.status().lostSoFar()).isOne();

        lostAnswers.switchOn(1.0, Duration.ofHours(1));
        assertThat(lostAnswers.status().lostSoFar()).isZero();
    }

    private long strikesOf(int tries) {
        return IntStream.range(0, tries).filter(i -> lostAnswers.strikes()).count();
    }
}
