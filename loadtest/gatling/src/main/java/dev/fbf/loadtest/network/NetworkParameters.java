package dev.fbf.loadtest.network;

import dev.fbf.loadtest.Delivery;
import dev.fbf.loadtest.Plan;
import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;
import java.util.List;

/** The settings of loadtest-network.properties, where their meanings stand. */
record NetworkParameters(
        double rate,
        Duration duration,
        Duration warmUpDuration,
        List<Double> losses,
        List<Duration> delays,
        Duration giveUpAfter,
        double retries,
        int maxAttempts,
        Duration deadline,
        long seed) {

    static NetworkParameters from(Settings settings) {
        return new NetworkParameters(
                settings.positive("rate"),
                settings.seconds("seconds"),
                settings.seconds("warm-up-seconds"),
                settings.shares("loss"),
                settings.millisOfEach("delay-millis"),
                settings.millis("give-up-after-millis"),
                settings.share("retries"),
                settings.atLeastOne("max-attempts"),
                settings.seconds("deadline-seconds"),
                settings.integer("seed"));
    }

    /** Distinct operations for each network and endpoint. */
    int operations() {
        return (int) Math.max(1, Math.round(rate * duration.toMillis() / 1_000));
    }

    int warmUpOperations() {
        return (int) Math.max(1, Math.round(rate * warmUpDuration.toMillis() / 1_000));
    }

    Plan plan() {
        return new Plan(operations(), retries, 2, 0, 1, maxAttempts);
    }

    Delivery.Timeouts timeouts() {
        return new Delivery.Timeouts(giveUpAfter, deadline);
    }
}
