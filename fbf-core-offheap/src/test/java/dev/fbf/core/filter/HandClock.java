package dev.fbf.core.filter;

import java.time.Duration;
import java.time.Instant;

/** A clock that stands still until it is moved, on a machine that may tell its starts apart. */
final class HandClock implements MachineClock {

    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private volatile long boot = Boot.UNKNOWN;
    private volatile Duration uptime = Duration.ZERO;

    @Override
    public Instant instant() {
        return now;
    }

    @Override
    public long boot() {
        return boot;
    }

    @Override
    public long uptimeNanos() {
        return uptime.toNanos();
    }

    /** Time goes by. */
    void advance(Duration duration) {
        set(duration);
        uptime = uptime.plus(duration);
    }

    /** Somebody sets the wall clock. */
    void set(Duration ahead) {
        now = now.plus(ahead);
    }

    /** The machine starts anew. */
    void boot(long id) {
        boot = id;
        uptime = Duration.ZERO;
    }
}
