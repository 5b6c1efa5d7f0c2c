package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StageTest {

    @Test
    void hasOneOperationAtLeast() {
        Plan plan = new Plan(0, 1, 0, 0, 1, Duration.ofMillis(2), Duration.ofMinutes(1));
        assertThat(new Stage("page", 0.01, Duration.ofSeconds(10), plan, new SplittableRandom(1)).size)
                .isEqualTo(1);
        assertThat(new Stage("page", 5, Duration.ofSeconds(10), plan, new SplittableRandom(1)).size)
                .isEqualTo(50);
    }
}
