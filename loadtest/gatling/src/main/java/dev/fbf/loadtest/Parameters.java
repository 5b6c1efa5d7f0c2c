package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;

/** The settings of loadtest.properties, where their meanings stand. */
record Parameters(
        double rate,
        Duration duration,
        Duration measuredDuration,
        Duration warmUpDuration,
        double retries,
        int maxSends,
        double loss,
        double giveUps,
        Duration giveUpAfter,
        double atOnce,
        int maxAttempts,
        Duration deadline,
        long seed) {

    private static final Duration SPARE = Duration.ofMinutes(5);

    static Parameters from(Settings settings) {
        return new Parameters(
                settings.positive("rate"),
                settings.seconds("seconds"),
                settings.seconds("measured-seconds"),
                settings.seconds("warm-up-seconds"),
                settings.share("retries"),
                settings.atLeastOne("max-sends"),
                settings.share("loss"),
                settings.share("give-ups"),
                settings.millis("give-up-after-millis"),
                settings.share("at-once"),
                settings.atLeastOne("max-attempts"),
                settings.seconds("deadline-seconds"),
                settings.integer("seed"));
    }

    Plan plan(Phase phase) {
        return phase == Phase.FAULTS
                ? new Plan(operations(phase), retries, maxSends, atOnce, giveUps, maxAttempts)
                : Plan.calm(operations(phase));
    }

    /** How long the operations of a phase take to begin, one after the other, at the wanted rate. */
    Duration span(Phase phase) {
        return switch (phase) {
            case WARM_UP -> warmUpDuration;
            case NO_FAULTS -> measuredDuration;
            case FAULTS -> duration;
        };
    }

    /** The distinct operations of a phase, for each endpoint. */
    int operations(Phase phase) {
        return (int) Math.max(1, Math.round(rate * span(phase).toMillis() / 1_000));
    }

    /** Until the app takes back its faults by itself: later than the last operation ends. */
    Duration faultsLast() {
        return duration.plus(deadline).plus(SPARE);
    }
}
