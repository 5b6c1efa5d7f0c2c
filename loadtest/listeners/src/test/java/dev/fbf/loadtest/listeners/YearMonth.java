package dev.fbf.loadtest.listeners;

import java.time.Duration;
import java.time.Instant;

/** A month of five seconds. */
record YearMonth(long number) {

    static final Duration LENGTH = Duration.ofSeconds(5);

    static YearMonth now() {
        return new YearMonth(Instant.now().getEpochSecond() / LENGTH.toSeconds());
    }

    YearMonth minusMonths(long months) {
        return new YearMonth(number - months);
    }

    @Override
    public String toString() {
        return Long.toString(number);
    }
}
