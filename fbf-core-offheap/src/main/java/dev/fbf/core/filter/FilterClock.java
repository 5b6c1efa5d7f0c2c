package dev.fbf.core.filter;

import java.time.InstantSource;

/**
 * A scope's time: the machine's, put forward so that it never runs backwards, whatever happens to the machine's clock.
 * In milliseconds since 1970, rounded so that memory is never shortened: the time at which something ended up, the
 * time it is compared with down.
 */
final class FilterClock {

    private final InstantSource machine;
    private final long offset;

    /** A clock that reads {@code now} at this moment. */
    private FilterClock(InstantSource machine, long offset) {
        this.machine = machine;
        this.offset = offset;
    }

    static FilterClock of(InstantSource machine) {
        return new FilterClock(machine, 0);
    }

    /** The same clock, put forward where it reads less than this. */
    FilterClock atLeast(long now) {
        return new FilterClock(machine, Math.max(offset, now - machine.millis()));
    }

    /** The same clock, put forward or back so that it reads this now. */
    FilterClock at(long now) {
        return new FilterClock(machine, now - machine.millis());
    }

    long millis() {
        return machine.millis() + offset;
    }

    long millisRoundedUp() {
        return machine.instant().plusNanos(999_999).toEpochMilli() + offset;
    }
}
