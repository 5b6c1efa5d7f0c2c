package dev.fbf.core.filter;

import java.time.Duration;
import java.time.Instant;

/** A clock that stands still until it is moved, on a machine that may tell its starts apart. */
final class HandClock implements MachineClock {

    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private volatile Boot boot = Boot.UNKNOWN;

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public Boot boot() {
        return boot;
    }

    /** Time goes by. */
    void advance(Duration duration) {
        set(duration);
        if (boot.isKnown()) {
            boot = new Boot(boot.id(), boot.uptimeMillis() + duration.toMillis());
        }
    }

    /** Somebody sets the wall clock. */
    void set(Duration ahead) {
        now = now.plus(ahead);
    }

    /** The machine starts anew. */
    void boot(long id) {
        boot = new Boot(id, 0);
    }
}
