package dev.fbf.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.util.backoff.BackOffExecution.STOP;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryScheduleTest {

    private static RetrySchedule schedule(IdempotencyKey key, String... properties) {
        return new RetrySchedule(ClientProperties.of(properties).checked(), key);
    }

    private static IdempotencyKey ofAge(Duration age) {
        return IdempotencyKey.sent(Keys.madeAt(Instant.now().minus(age)));
    }

    @Test
    void waitsDoubleAndVaryByHalfOfThemselves() {
        RetrySchedule schedule = schedule(IdempotencyKey.fresh(), "max-attempts=6", "max-delay=1s");

        assertThat(schedule.nextDelay(Duration.ZERO)).isBetween(200L, 300L);
        assertThat(schedule.nextDelay(Duration.ZERO)).isBetween(200L, 600L);
        assertThat(schedule.nextDelay(Duration.ZERO)).isBetween(400L, 1000L);
        assertThat(schedule.nextDelay(Duration.ZERO)).isBetween(400L, 1000L);
        assertThat(schedule.nextDelay(Duration.ZERO)).isBetween(500L, 1000L);
        assertThat(schedule.nextDelay(Duration.ZERO)).isEqualTo(STOP);
    }

    @Test
    void aKeyWithoutATimeOrFromTheFutureIsNew() {
        assertThat(IdempotencyKey.sent("order-4711").age()).isLessThan(Duration.ofMinutes(1));
        assertThat(ofAge(Duration.ofDays(-1)).age()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        assertThat(IdempotencyKey.named(Keys.madeAt(Instant.EPOCH).substring(1, 37))
                        .age())
                .isGreaterThan(Duration.ofDays(20_000));
    }
}
