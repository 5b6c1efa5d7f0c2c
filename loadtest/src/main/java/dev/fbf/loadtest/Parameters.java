package dev.fbf.loadtest;

import java.time.Duration;

/**
 * All that can be set about the run with faults.
 *
 * @param rate operations that begin in a second, for each endpoint
 * @param duration of the phase with faults, where the counters are compared
 * @param measuredDuration of the phase without, where answer times are compared
 * @param warmUpDuration before anything is measured
 * @param retries share of operations that are sent again although they were acknowledged
 * @param maxSends such an operation is sent from twice to so many times over
 * @param loss share of answers the app loses
 * @param giveUps share of requests whose client is in a hurry
 * @param giveUpAfter how long such a client waits
 * @param atOnce share of operations whose first request has a twin at the same time
 * @param maxAttempts after so many failed attempts an operation fails
 * @param deadline after so long it fails
 * @param seed decides every key and every chance on the clients' side
 */
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
