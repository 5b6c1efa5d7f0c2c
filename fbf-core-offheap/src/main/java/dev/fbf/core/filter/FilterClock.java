package dev.fbf.core.filter;

import java.time.Instant;
import java.time.InstantSource;

/**
 * Clock of a scope: the machine's clock plus an offset, so that it never runs backwards. In milliseconds since 1970. Times at which an
 * event ended are rounded up, and times compared with them are rounded down, so that rounding never shortens the filter's memory.
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
     * Returns a clock that reads {@code bootedAt} at the machine's boot and then follows its uptime: exactly the same time in every
     * process. If each process combined two clocks, a pause between the two reads would shift its time by some milliseconds, and the next
     * process would consider operations older by that.
     */
    static FilterClock since(long bootedAt, MachineClock machine) {
        return new FilterClock(() -> Instant.EPOCH.plusNanos(machine.uptimeNanos()), bootedAt);
    }

    /** Returns this clock, moved forward so that it reads at least this time. */
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
