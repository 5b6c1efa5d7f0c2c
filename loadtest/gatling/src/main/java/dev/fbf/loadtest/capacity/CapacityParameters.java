package dev.fbf.loadtest.capacity;

import dev.fbf.loadtest.Delivery;
import dev.fbf.loadtest.Plan;
import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;

/**
 * What can be set about how capacity is measured.
 *
 * @param users how many send at the same time, each the next operation when the last one was answered
 * @param rounds how often each contender has its turn
 * @param leadIn how long they send in each turn before it is measured
 * @param measured how long it is measured
 * @param retries share of operations that are sent again although they were acknowledged
 * @param seed decides every key and every chance
 */
public record CapacityParameters(int users, int rounds, Duration leadIn, Duration measured, double retries, long seed) {

    public static CapacityParameters from(Settings settings) {
        return new CapacityParameters(
                settings.atLeastOne("users"),
                settings.atLeastOne("rounds"),
                settings.seconds("lead-in-seconds"),
                settings.seconds("seconds"),
                settings.share("retries"),
                settings.integer("seed"));
    }

    /** Nobody is in a hurry, and a refused request is sent again. */
    public Plan plan() {
        return new Plan(1, retries, 2, 0, 0, 1_000);
    }

    public Delivery.Timeouts timeouts() {
        return new Delivery.Timeouts(Duration.ofMinutes(1), Duration.ofMinutes(1));
    }
}
