package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.Plan.Operation;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeliveryTest {

    private static final Duration HASTY = Duration.ofMillis(2);
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Tally tally = new Tally();
    private long nanos;

    /** Responses to attempts, between blanks: a status, none, two of twins, or what a client that hurries waits in vain for. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "once acknowledged it is over,            1, false, 0, 200,                 {}",
        "sent again on purpose,                   3, false, 0, 200 200 200,         {on-purpose=2}",
        "resent until a response arrives,         1, false, 0, - - 200,             {lost-response=2}",
        "resent by a client that gave up,         1, false, 1, late 200,            {gave-up=1}",
        "lost before an impatient client gave up, 1, false, 1, - 200,               {lost-response=1}",
        "only a client in a hurry gives up,       1, false, 0, late 200,            {lost-response=1}",
        "acknowledged if either twin is,          1, true,  0, 409/200,             {at-once=1}",
        "a twin for the first request only,       2, true,  0, -/- 200 200,         '{at-once=1, lost-response=1, on-purpose=1}'",
        "a cause for each,                        2, true,  0, 409/- 503 500 200 409 - 200, "
                + "'{at-once=1, in-progress=1, lost-response=2, no-room=1, on-purpose=1, refused=1}'"
    })
    void isSentUntilItIsAcknowledgedAsOftenAsItIsToBe(
            String why, int sends, boolean atOnce, double giveUps, String responses, String resent) {
        Delivery delivery = delivery(sends, atOnce, giveUps, 50);
        int attempts = 0;
        for (String response : responses.split(" ", -1)) {
            assertThat(delivery.isUnderway()).isTrue();
            attempt(delivery, response);
            attempts += response.split("/", -1).length;
        }
        delivery.end();

        assertThat(delivery.isUnderway()).isFalse();
        Tally.Outcome outcome = tally.outcome();
        assertThat(resent()).hasToString(resent);
        assertThat(outcome.failed()).isZero();
        assertThat(outcome.acknowledged()).isEqualTo(sends);
        assertThat(outcome.sent()).isEqualTo(attempts);
        assertThat(outcome.sent() - outcome.operations())
                .isEqualTo(outcome.resent().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
    }

    @Test
    void aTwinIsSentWithTheFirstRequestAlone() {
        Delivery delivery = delivery(2, true, 0, 50);
        attempt(delivery, "-/-");
        assertThat(delivery.manner()).isEqualTo(Delivery.Manner.TWICE_AT_ONCE);
        attempt(delivery, "200");
        assertThat(delivery.manner()).isEqualTo(Delivery.Manner.PATIENT);
    }

    @Test
    void waitsWhereTheServerAsksForIt() {
        Delivery delivery = patient(1);
        attempt(delivery, "409");
        assertThat(delivery.pause()).isPositive().isLessThan(Duration.ofSeconds(1));
        attempt(delivery, "503");
        assertThat(delivery.pause()).isPositive();
        attempt(delivery, "-");
        assertThat(delivery.pause()).isZero();
        attempt(delivery, "200");
        assertThat(delivery.pause()).isZero();
    }

    @Test
    void failsAfterTooManyAttempts() {
        Delivery delivery = delivery(1, false, 0, 2);
        attempt(delivery, "-");
        attempt(delivery, "409");
        assertFailed(delivery);
        assertThat(tally.outcome().firstFailure().orElseThrow())
                .contains("guarded operation")
                .contains("2 attempts")
                .contains("409");
    }

    @Test
    void failsAfterItsDeadline() {
        Delivery delivery = patient(1);
        attempt(delivery, "-");
        nanos += DEADLINE.toNanos() + 1;
        assertFailed(delivery);
    }

    @Test
    void failsIfARepetitionIsNeverAcknowledged() {
        Delivery delivery = delivery(2, false, 0, 1);
        attempt(delivery, "200");
        attempt(delivery, "500");
        assertFailed(delivery);
    }

    @Test
    void timesOnlyAcknowledgedRequestsOfPatientClients() {
        attempt(delivery(1, false, 1, 50), "200");
        attempt(delivery(1, true, 0, 50), "200/200");
        attempt(patient(1), "503");
        assertThat(tally.outcome().p99Millis()).isZero();

        Delivery patient = patient(1);
        patient.begin();
        patient.sent();
        nanos += Duration.ofMillis(7).toNanos();
        patient.answered(200);
        assertThat(tally.outcome().p50Millis()).isBetween(6.9, 7.1);
    }

    private void assertFailed(Delivery delivery) {
        delivery.end();
        assertThat(delivery.isUnderway()).isFalse();
        assertThat(tally.outcome().failed()).isEqualTo(1);
    }

    private Delivery patient(int sends) {
        return delivery(sends, false, 0, 50);
    }

    private Delivery delivery(int sends, boolean atOnce, double giveUps, int maxAttempts) {
        return new Delivery(
                new Operation(Endpoint.GUARDED, new UUID(1, 2), sends, atOnce, new SplittableRandom(1)),
                new Plan(0, 1, 0, giveUps, maxAttempts, HASTY, DEADLINE),
                tally,
                () -> nanos);
    }

    private void attempt(Delivery delivery, String responses) {
        delivery.begin();
        String[] each = responses.split("/", -1);
        Stream.of(each).forEach(response -> delivery.sent());
        for (String response : each) {
            if (response.equals("late")) {
                nanos += HASTY.toNanos();
            } else if (!response.equals("-")) {
                delivery.answered(Integer.parseInt(response));
            }
        }
        delivery.conclude();
    }

    private Map<String, Long> resent() {
        Map<String, Long> resent = new TreeMap<>();
        tally.outcome().resent().forEach((cause, count) -> {
            if (count > 0) {
                resent.put(cause.toString(), count);
            }
        });
        return resent;
    }
}
