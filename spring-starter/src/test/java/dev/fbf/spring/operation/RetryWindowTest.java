package dev.fbf.spring.operation;

import static dev.fbf.spring.RefusedCall.assertKeyRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.TimedKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
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
                        + " 2026-01-01T12:00:00Z: more than PT9M later.")
                .satisfies(e -> assertThat(e.detail())
                        .startsWith("The idempotency key is from 2026-01-01T11:50:59.999Z: after more than PT9M it is"
                                + " unknown whether its operation was applied.")
                        .doesNotContain("2026-01-01T12:00"));
    }

    @Test
    void aKeyOfAnyTimeMayBeKnown() {
        for (Duration age : List.of(WINDOW.plus(MILLI), Duration.ofDays(9), Duration.ofDays(-9))) {
            assertThatCode(() -> window.requireTime(keyOfAge(age))).doesNotThrowAnyException();
        }
    }

    @Test
    void aClockThatIsSetBackLetsNothingBeAppliedAgain() {
        AtomicReference<Instant> clock = new AtomicReference<>(NOW);
        AtomicLong nanos = new AtomicLong();
        RetryWindow set = new RetryWindow("payments", clock::get, nanos::get, WINDOW, SKEW, false);
        String key = keyOfAge(SKEW.negated());
        set.requireNotForgotten(key);
        set.requireNotForgotten(keyOfAge(SKEW.multipliedBy(2))); // the newest counts, and not the last

        nanos.set(WINDOW.plus(MILLI).toNanos());
        clock.set(NOW.plus(WINDOW).minus(SKEW.multipliedBy(2)));

        assertKeyRefused(OperationOutcome.KEY_TOO_OLD, () -> set.requireNotForgotten(key));
        set.requireNotForgotten(keyOfAge(SKEW.multipliedBy(-2)));

        String later = keyOfAge(SKEW.multipliedBy(-8));
        nanos.addAndGet(Duration.ofDays(3).toNanos());
        assertKeyRefused(OperationOutcome.KEY_TOO_OLD, () -> set.requireNotForgotten(later));
        nanos.addAndGet(Duration.ofDays(3).toNanos());
        assertThatCode(() -> set.requireNotForgotten(later)).doesNotThrowAnyException();
    }

    @Test
    void anOperationThatIsNotKnownIsRefusedIfItsKeyIsFromFurtherInTheFutureThanTheSkew() {
        window.requireNotForgotten(keyOfAge(SKEW.negated()));

        assertKeyRefused(
                        OperationOutcome.KEY_TIME,
                        () -> window.requireNotForgotten(
                                keyOfAge(SKEW.plus(MILLI).negated())))
                .withMessageContaining("more than PT1M in the future")
                .satisfies(e -> assertThat(e.detail())
                        .contains("more than PT1M in the future")
                        .doesNotContain("2026-01-01T12:00:00Z"));
    }

    @Test
    void aKeyWithoutATimeIsRefusedWhereOneIsRequired() {
        assertThatCode(() -> window.requireTime("key-1")).doesNotThrowAnyException();
        assertThatCode(() -> window.requireNotForgotten("key-1")).doesNotThrowAnyException();

        RetryWindow requiring = at(NOW, true);

        requiring.requireTime(keyOfAge(Duration.ZERO));
        assertKeyRefused(OperationOutcome.KEY_TIME, () -> requiring.requireTime("key-1"))
                .withMessageStartingWith("scope=payments: The idempotency key has no time.");
    }

    private static RetryWindow at(Instant now, boolean requireTime) {
        return new RetryWindow("payments", () -> now, WINDOW, SKEW, requireTime);
    }

    private static String keyOfAge(Duration age) {
        return TimedKeys.uuid(NOW.minus(age));
    }
}
