package dev.fbf.core.filter;

import java.time.Instant;
import java.time.InstantSource;

/**
 * The time of a scope: the machine's, moved forward so that it never runs backwards. In milliseconds since 1970,
 * rounded so that memory is never shortened: the time at which something ended up, the time it is compared with down.
 */
final class FilterClock {

    private final InstantSource machine;
    private final long offset;

    private FilterClock(InstantSource machine, long offset) {
        this.machine = machine;
        this.offset = offset;
    }

    static FilterClock of(InstantSource machine) {
        return new FilterClock(machine, 0);
    }

    /**
     * Returns a clock that reads {@code bootedAt} at the machine's boot and then follows its uptime: exactly the same
     * time in every process. If each process combined two clocks itself, a process that is held up in between would
     * lose some milliseconds, and the next would find the operations that much older.
     */
    static FilterClock since(long bootedAt, MachineClock machine) {
        return new FilterClock(() -> Instant.EPOCH.plusNanos(machine.uptimeNanos()), bootedAt);
    }

    /** Returns the same clock, moved forward if it reads less than this. */
    FilterClock atLeast(long now) {
        return new FilterClock(machine, Math.max(offset, now - machine.millis()));
    }

    long millis() {
        return machine.millis() + offset;
    }

    long millisRoundedUp() {
        return machine.instant().plusNanos(999_999).toEpochMilli() + offset;
    }
}
