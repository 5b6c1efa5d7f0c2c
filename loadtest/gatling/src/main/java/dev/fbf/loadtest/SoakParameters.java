package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Settings;
import java.time.Duration;

/**
 * When the load of the soak is high.
 *
 * @param loud how long the load is high
 * @param quiet how long it is low then, before it is high again
 */
record SoakParameters(Duration duration, Duration retryWindow, Duration loud, Duration quiet, Duration betweenSamples) {

    static SoakParameters from(Settings settings) {
        Duration window = settings.seconds("window-seconds");
        return new SoakParameters(
                Duration.ofSeconds(Math.round(60 * settings.positive("minutes"))),
                window,
                window.multipliedBy(settings.atLeastOne("loud-windows")),
                window.multipliedBy(settings.atLeastOne("quiet-windows")),
                settings.seconds("sample-seconds"));
    }

    boolean isLoudAt(Duration time) {
        return time.toMillis() % loud.plus(quiet).toMillis() < loud.toMillis();
    }

    /** Whether the load falls, and has time to make itself felt. */
    boolean risesAndFalls() {
        return duration.compareTo(loud.plus(quiet)) >= 0;
    }
}
