package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.Delivery.Plan;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryTest {

    private static final Duration HASTY = Duration.ofMillis(2);
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Tally tally = new Tally();
    private long nanos;

    /** The responses are separated by blanks: a status; "-" if it is lost; "late" if an impatient client stops waiting before. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "once acknowledged it is over,            0, 0, 200,                         1, {}",
        "sent again on purpose,                   1, 0, 200 200,                     2, {on-purpose=1}",
        "resent until a response arrives,         0, 0, - - 200,                     1, {lost-response=2}",
        "resent by a client that gave up,         0, 1, late 200,                    1, {gave-up=1}",
        "lost before an impatient client gave up, 0, 1, - 200,                       1, {lost-response=1}",
        "only a client in a hurry gives up,       0, 0, late 200,                    1, {lost-response=1}",
        "a cause for each,                        1, 0, 409 503 500 200 409 - 200,   2, "
                + "'{in-progress=2, lost-response=1, no-room=1, on-purpose=1, refused=1}'"
    })
    void isSentUntilItIsAcknowledgedAsOftenAsItIsToBe(
            String why, double retries, double giveUps, String responses, int acknowledged, String resent) {
        Delivery delivery = delivery(retries, giveUps);
        String[] each = responses.split(" ", -1);
        for (String response : each) {
            assertThat(delivery.isUnderway()).isTrue();
            attempt(delivery, response);
        }
        delivery.end();

        assertThat(delivery.isUnderway()).isFalse();
        Tally.Outcome outcome = tally.outcome();
        Map<String, Long> causes = new TreeMap<>();
        outcome.resent().forEach((cause, count) -> causes.put(cause.toString(), count));
        assertThat(causes).hasToString(resent);
        assertThat(outcome.failed()).isZero();
        assertThat(outcome.acknowledged()).isEqualTo(acknowledged);
        assertThat(outcome.sent()).isEqualTo(each.length);
    }

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
