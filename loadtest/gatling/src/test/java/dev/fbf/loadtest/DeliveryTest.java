package dev.fbf.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.Plan.Operation;
import dev.fbf.loadtest.Tally.Cause;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DeliveryTest {

    private static final Duration HASTY = Duration.ofMillis(2);
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final Tally tally = new Tally();
    private long nanos;

    @Test
    void isOverOnceAcknowledged() {
        Delivery delivery = patient(1, false);

        attempt(delivery, 1, 200);
        delivery.end();

        assertThat(delivery.isUnderway()).isFalse();
        assertThat(tally.outcome().sent()).isEqualTo(1);
        assertThat(tally.outcome().acknowledged()).isEqualTo(1);
        assertThat(tally.outcome().failed()).isZero();
    }

    @Test
    void isSentAgainOnPurposeAfterItsAcknowledgement() {
        Delivery delivery = patient(3, false);

        attempt(delivery, 1, 200);
        attempt(delivery, 1, 200);
        assertThat(delivery.isUnderway()).isTrue();
        attempt(delivery, 1, 200);

        assertThat(delivery.isUnderway()).isFalse();
        assertThat(resent()).containsExactly(Map.entry(Cause.ON_PURPOSE, 2L));
    }

    @Test
    void isResentUntilAResponseArrives() {
        Delivery delivery = patient(1, false);

        attempt(delivery, 1);
        attempt(delivery, 1);
        assertThat(delivery.isUnderway()).isTrue();
        attempt(delivery, 1, 200);

        assertThat(delivery.isUnderway()).isFalse();
        assertThat(resent()).containsExactly(Map.entry(Cause.LOST_RESPONSE, 2L));
        assertThat(tally.outcome().unanswered()).containsEntry(Cause.LOST_RESPONSE, 2L);
    }

    @Test
    void isResentByAClientWhoGaveUp() {
        Delivery delivery = delivery(1, false, 1, 50);

        delivery.begin();
        assertThat(delivery.manner()).isEqualTo(Delivery.Manner.HASTY);
        delivery.sent();
        nanos += HASTY.toNanos();
        delivery.conclude();
        attempt(delivery, 1, 200);

        assertThat(resent()).containsExactly(Map.entry(Cause.GAVE_UP, 1L));
    }

    @Test
    void knowsALostResponseFromAnImpatientClient() {
        Delivery delivery = delivery(1, false, 1, 50);

        attempt(delivery, 1);
        attempt(delivery, 1, 200);

        assertThat(resent()).containsExactly(Map.entry(Cause.LOST_RESPONSE, 1L));
    }

    @Test
    void onlyAClientInAHurryGivesUp() {
        Delivery delivery = patient(1, false);

        delivery.begin();
        delivery.sent();
        nanos += HASTY.toNanos();
        delivery.conclude();
        attempt(delivery, 1, 200);

        assertThat(resent()).containsExactly(Map.entry(Cause.LOST_RESPONSE, 1L));
    }

    @Test
    void waitsWhereTheServerAsksForIt() {
        Delivery delivery = patient(1, false);

        attempt(delivery, 1, 409);
        assertThat(delivery.pause()).isPositive().isLessThan(Duration.ofSeconds(1));
        attempt(delivery, 1, 503);
        assertThat(delivery.pause()).isPositive();
        attempt(delivery, 1);
        assertThat(delivery.pause()).isZero();
        attempt(delivery, 1, 500);
        attempt(delivery, 1, 200);

        assertThat(delivery.pause()).isZero();
        assertThat(resent())
                .containsExactly(
                        Map.entry(Cause.LOST_RESPONSE, 1L),
                        Map.entry(Cause.IN_PROGRESS, 1L),
                        Map.entry(Cause.NO_ROOM, 1L),
                        Map.entry(Cause.REFUSED, 1L));
    }

    @Test
    void isAcknowledgedIfEitherTwinIs() {
        Delivery delivery = patient(1, true);

        attempt(delivery, 2, 409, 200);

        assertThat(delivery.isUnderway()).isFalse();
        assertThat(tally.outcome().sent()).isEqualTo(2);
        assertThat(resent()).containsExactly(Map.entry(Cause.AT_ONCE, 1L));
    }

    @Test
    void hasATwinForItsFirstRequestOnly() {
        Delivery delivery = patient(2, true);

        attempt(delivery, 2);
        assertThat(delivery.manner()).isEqualTo(Delivery.Manner.TWICE_AT_ONCE);
        attempt(delivery, 1, 200);

        assertThat(delivery.manner()).isEqualTo(Delivery.Manner.PATIENT);
        assertThat(tally.outcome().unanswered()).containsEntry(Cause.LOST_RESPONSE, 2L);
    }

    @Test
    void sendsOneRequestForTheOperationAndOneForEachCause() {
        Delivery delivery = patient(2, true);

        attempt(delivery, 2, 409);
        attempt(delivery, 1, 409);
        attempt(delivery, 1, 200);
        attempt(delivery, 1);
        attempt(delivery, 1, 200);

        Tally.Outcome outcome = tally.outcome();
        assertThat(outcome.sent()).isEqualTo(6);
        assertThat(outcome.sent() - outcome.operations())
                .isEqualTo(outcome.resent().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
    }

    @Test
    void failsAfterTooManyAttempts() {
        Delivery delivery = delivery(1, false, 0, 2);

        attempt(delivery, 1);
        attempt(delivery, 1, 409);
        delivery.end();

        assertThat(delivery.isUnderway()).isFalse();
        assertThat(tally.outcome().failed()).isEqualTo(1);
        assertThat(tally.outcome().firstFailure().orElseThrow())
                .contains("guarded operation")
                .contains("2 attempts")
                .contains("409");
    }

    @Test
    void failsAfterItsDeadline() {
        Delivery delivery = patient(1, false);

        attempt(delivery, 1);
        nanos += DEADLINE.toNanos() + 1;
        delivery.end();

        assertThat(delivery.isUnderway()).isFalse();
        assertThat(tally.outcome().failed()).isEqualTo(1);
    }

    @Test
    void failsIfARepetitionIsNeverAcknowledged() {
        Delivery delivery = delivery(2, false, 0, 1);

        attempt(delivery, 1, 200);
        attempt(delivery, 1, 500);
        delivery.end();

        assertThat(tally.outcome().failed()).isEqualTo(1);
    }

    @Test
    void timesOnlyAcknowledgedRequestsOfPatientClients() {
        attempt(delivery(1, false, 1, 50), 1, 200);
        attempt(patient(1, true), 2, 200, 200);
        attempt(patient(1, false), 1, 503);
        assertThat(tally.outcome().p99Millis()).isZero();

        Delivery patient = patient(1, false);
        patient.begin();
        patient.sent();
        nanos += Duration.ofMillis(7).toNanos();
        patient.answered(200);

        assertThat(tally.outcome().p50Millis()).isBetween(6.9, 7.1);
    }

    private Delivery patient(int sends, boolean atOnce) {
        return delivery(sends, atOnce, 0, 50);
    }

    private Delivery delivery(int sends, boolean atOnce, double giveUps, int maxAttempts) {
        return new Delivery(
                new Operation(Endpoint.GUARDED, new UUID(1, 2), sends, atOnce, new SplittableRandom(1)),
                new Plan(0, 1, 0, giveUps, maxAttempts, HASTY, DEADLINE),
                tally,
                () -> nanos);
    }

    private static void attempt(Delivery delivery, int requests, int... statuses) {
        delivery.begin();
        for (int i = 0; i < requests; i++) {
            delivery.sent();
        }
        for (int status : statuses) {
            delivery.answered(status);
        }
        delivery.conclude();
    }

    private Map<Cause, Long> resent() {
        Map<Cause, Long> resent = tally.outcome().resent();
        resent.values().removeIf(count -> count == 0);
        return resent;
    }
}
