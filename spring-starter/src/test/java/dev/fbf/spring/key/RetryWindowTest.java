package dev.fbf.spring.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.IdempotencyKeyTimeException;
import dev.fbf.spring.IdempotencyKeyTooOldException;
import dev.fbf.spring.TimedKeys;
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
    void aKeyAsOldAsTheWindowIsLetThroughAndAnOlderOneIsNot() {
        window.requireWithin(keyOfAge(WINDOW));

        assertThatExceptionOfType(IdempotencyKeyTooOldException.class)
                .isThrownBy(() -> window.requireWithin(keyOfAge(WINDOW.plus(MILLI))))
                .withMessage("The idempotency key is from 2026-01-01T11:49:59.999Z, and here it is"
                        + " 2026-01-01T12:00:00Z: more than PT10M later.")
                .satisfies(e -> assertThat(e.detail())
                        .startsWith(
                                "The idempotency key is from 2026-01-01T11:49:59.999Z: after more than PT10M nobody")
                        .doesNotContain("2026-01-01T12:00"));
    }

    @Test
    void anOperationThatIsNotKnownIsAppliedUpToASkewBeforeTheEndOfTheWindow() {
        window.requireNotForgotten(keyOfAge(WINDOW.minus(SKEW)));

        assertThatExceptionOfType(IdempotencyKeyTooOldException.class)
                .isThrownBy(() ->
                        window.requireNotForgotten(keyOfAge(WINDOW.minus(SKEW).plus(MILLI))));
    }

    /** The worst case: the client's clock is ahead by all that is allowed, and the filter forgets as early as it may. */
    @Test
    void whatWasAppliedAndForgottenIsNotAppliedAgain() {
        String key = keyOfAge(SKEW.negated());
        window.requireWithin(key);
        window.requireNotForgotten(key);

        RetryWindow whenForgotten = at(NOW.plus(WINDOW).plus(MILLI), false);

        whenForgotten.requireWithin(key);
        assertThatExceptionOfType(IdempotencyKeyTooOldException.class)
                .isThrownBy(() -> whenForgotten.requireNotForgotten(key));
    }

    @Test
    void aKeyFromFurtherInTheFutureThanTheSkewIsRefused() {
        window.requireWithin(keyOfAge(SKEW.negated()));

        assertThatExceptionOfType(IdempotencyKeyTimeException.class)
                .isThrownBy(() -> window.requireWithin(keyOfAge(SKEW.plus(MILLI).negated())))
                .withMessageContaining("more than PT1M in the future")
                .satisfies(e -> assertThat(e.detail())
                        .contains("more than PT1M in the future")
                        .doesNotContain("2026-01-01T12:00:00Z"));
    }

    @Test
    void aKeyWithoutATimeIsRefusedWhereOneIsRequired() {
        assertThatCode(() -> window.requireWithin("key-1")).doesNotThrowAnyException();
        assertThatCode(() -> window.requireNotForgotten("key-1")).doesNotThrowAnyException();

        RetryWindow requiring = at(NOW, true);

        requiring.requireWithin(keyOfAge(Duration.ZERO));
        assertThatExceptionOfType(IdempotencyKeyTimeException.class)
                .isThrownBy(() -> requiring.requireWithin("key-1"))
                .withMessageStartingWith("The idempotency key carries no time.");
    }

    private static RetryWindow at(Instant now, boolean requireTime) {
        return new RetryWindow(() -> now, WINDOW, SKEW, requireTime);
    }

    private static String keyOfAge(Duration age) {
        return TimedKeys.uuid(NOW.minus(age));
    }
}
