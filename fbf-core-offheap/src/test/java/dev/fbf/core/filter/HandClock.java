package dev.fbf.core.filter;

import dev.fbf.core.witness.Death;
import java.time.Duration;
import java.time.Instant;

/** A clock that stands still until it is moved, on a machine that may tell its starts apart. */
final class HandClock implements MachineClock {

    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private volatile long boot = UNKNOWN_BOOT;
    private volatile Duration uptime = Duration.ZERO;
    private int readingsLeft = Integer.MAX_VALUE;

    @Override
    public Instant instant() {
        read();
        return now;
    }

    @Override
    public long boot() {
        return boot;
    }

    @Override
    public long uptimeNanos() {
        read();
        return uptime.toNanos();
    }

    /** The process dies when it has read the clock so often. */
    void dieAfter(int readings) {
        readingsLeft = readings;
    }

    void liveOn() {
        readingsLeft = Integer.MAX_VALUE;
    }

    private void read() {
        if (readingsLeft == 0) {
            throw new Death();
        }
        readingsLeft -= readingsLeft == Integer.MAX_VALUE ? 0 : 1;
    }

    /** Time goes by. */
    void advance(Duration duration) {
        set(duration);
        uptime = uptime.plus(duration);
    }

    /** The wall clock is set. */
    void set(Duration ahead) {
        now = now.plus(ahead);
    }

    /** The machine starts anew. */
    void boot(long id) {
        boot = id;
        uptime = Duration.ZERO;
    }
}
