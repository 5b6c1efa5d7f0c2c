package dev.fbf.loadtest.soak;

import dev.fbf.loadtest.Delivery;
import dev.fbf.loadtest.Plan;
import dev.fbf.loadtest.capacity.CapacityParameters;
import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;

/**
 * What can be set about the soak.
 *
 * @param capacity how the capacity is measured before
 * @param duration how long operations begin
 * @param retryWindow that of the filters
 * @param loudWindows how many retry windows the load is high
 * @param quietWindows how many it is low then, before it is high again
 * @param share the high load / the capacity
 * @param quietShare the low load / the high one
 * @param plannedShare what the filters are told to expect / the high load
 * @param retries share of operations that are sent again although they were acknowledged
 * @param loss share of responses the app loses
 * @param betweenSamples time from one sample to the next
 */
record SoakParameters(
        CapacityParameters capacity,
        Duration duration,
        Duration retryWindow,
        int loudWindows,
        int quietWindows,
        double share,
        double quietShare,
        double plannedShare,
        double retries,
        double loss,
        Duration betweenSamples) {

    static SoakParameters from(Settings settings) {
        double retries = settings.share("retries");
        return new SoakParameters(
                new CapacityParameters(
                        settings.atLeastOne("users"),
                        1,
                        settings.seconds("lead-in-seconds"),
                        settings.seconds("capacity-seconds"),
                        retries,
                        settings.integer("seed")),
                Duration.ofSeconds(Math.round(60 * settings.positive("minutes"))),
                settings.seconds("window-seconds"),
                settings.atLeastOne("loud-windows"),
                settings.atLeastOne("quiet-windows"),
                settings.share("share"),
                settings.share("quiet-share"),
                settings.share("planned-share"),
                retries,
                settings.share("loss"),
                settings.seconds("sample-seconds"));
    }

    Plan plan() {
        return new Plan(1, retries, 2, 0, 0, 1_000);
    }

    /** No attempt begins after the window: it would be counted as another operation, rightly. */
    Delivery.Timeouts timeouts() {
        return new Delivery.Timeouts(retryWindow, retryWindow);
    }

    Duration loud() {
        return retryWindow.multipliedBy(loudWindows);
    }

    Duration quiet() {
        return retryWindow.multipliedBy(quietWindows);
    }

    boolean isLoudAt(Duration time) {
        return time.toMillis() % loud().plus(quiet()).toMillis() < loud().toMillis();
    }

    /** Whether the load falls, and has time to make itself felt. */
    boolean risesAndFalls() {
        return duration.compareTo(loud().plus(quiet())) >= 0;
    }
}
