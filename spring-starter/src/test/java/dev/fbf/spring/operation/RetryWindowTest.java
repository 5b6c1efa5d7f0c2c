package dev.fbf.spring.operation;

import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.fbf.spring.OperationOutcome;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class RetryWindowTest {

    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration WINDOW = Duration.ofMinutes(10);
    private static final Duration SKEW = Duration.ofMinutes(1);
    private static final Duration MILLI = Duration.ofMillis(1);

    private final RetryWindow window = at(NOW, false);

    @Test
    void anOperationThatIsNotKnownIsAppliedUpToASkewBeforeTheEndOfTheWindow() {
        window.requireNotForgotten(keyOfAge(WINDOW.minus(SKEW)));

        assertKeyRefused(
                        OperationOutcome.KEY_TOO_OLD,
                        () -> window.requireNotForgotten(
                                keyOfAge(WINDOW.minus(SKEW).plus(MILLI))))
                .withMessage("scope=payments: The idempotency key is from 2026-01-01T11:50:59.999Z, and here it is"
                        + " 2026-01-01T12:00:00Z: more than 9 min later.")
                .satisfies(e -> assertThat(e.detail())
                        .startsWith("The idempotency key is from 2026-01-01T11:50:59.999Z: after more than 9 min it is"
                                + " unknown whether its operation was applied.")
                        .doesNotContain("2026-01-01T12:00"));
    }

    /** Its clock and that of the host that has applied the operation differ by a skew, and the client's by another. */
    @Test
    void anOperationOfAnotherHostIsNotAppliedAgainOnceItIsForgotten() {
        Instant applied = NOW;
        Instant key = applied.plus(SKEW);
        at(applied, false).requireNotForgotten(key);

        Instant forgotten = applied.plus(WINDOW).plus(SKEW).plus(MILLI);

        assertKeyRefused(
                OperationOutcome.KEY_TOO_OLD,
                () -> at(forgotten.minus(SKEW), false).requireNotForgotten(key));
    }

    @Test
    void anOperationThatIsNotKnownIsRefusedIfItsKeyIsFromFurtherInTheFutureThanTheSkew() {
        window.requireNotForgotten(keyOfAge(SKEW.negated()));

        assertKeyRefused(
                        OperationOutcome.KEY_TIME,
                        () -> window.requireNotForgotten(
                                keyOfAge(SKEW.plus(MILLI).negated())))
                .withMessageContaining("more than 1 min in the future")
                .satisfies(e -> assertThat(e.detail())
                        .contains("more than 1 min in the future")
                        .doesNotContain("2026-01-01T12:00:00Z"));
    }

    @Test
    void aKeyWithoutATimeIsRefusedWhereOneIsRequired() {
        assertThatCode(() -> window.requireTime(null)).doesNotThrowAnyException();

        RetryWindow requiring = at(NOW, true);

        requiring.requireTime(keyOfAge(Duration.ZERO));
        assertKeyRefused(OperationOutcome.KEY_TIME, () -> requiring.requireTime(null))
                .withMessageStartingWith("scope=payments: The idempotency key has no time.");
    }

    private static RetryWindow at(Instant now, boolean requireTime) {
        return new RetryWindow("payments", () -> now, WINDOW, SKEW, requireTime);
    }

    private static Instant keyOfAge(Duration age) {
        return NOW.minus(age);
    }
}
