package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.Delivery.Plan;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DeliveryTest {

    private static final Duration HASTY = Duration.ofMillis(2);
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Tally tally = new Tally();
    private long nanos;

    @Test
    void failsIfItOrARepetitionIsNotAcknowledgedByItsDeadline() {
        Delivery delivery = delivery(1, 0);
        attempt(delivery, "200");
        attempt(delivery, "409");
        nanos += DEADLINE.toNanos() + 1;
        assertThat(delivery.isUnderway()).isFalse();
        delivery.end();
        assertThat(tally.outcome().failed()).isEqualTo(1);
        assertThat(tally.outcome().firstFailure().orElseThrow())
                .contains("guarded operation")
                .contains("2 attempts")
                .contains("409");
    }

    private Delivery delivery(double retries, double giveUps) {
        Plan plan = new Plan(retries, 2, giveUps, HASTY, DEADLINE);
        return new Delivery(Endpoint.GUARDED, plan, new SplittableRandom(1), tally, () -> nanos);
    }

    private void attempt(Delivery delivery, String response) {
        delivery.begin();
        if (response.equals("late")) {
            nanos += HASTY.toNanos();
        } else if (!response.equals("-")) {
            delivery.answered(Integer.parseInt(response));
        }
        delivery.conclude();
    }
}
