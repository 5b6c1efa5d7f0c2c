package dev.fbf.core.filter;

import java.time.Instant;
import java.time.InstantSource;

/**
 * A scope's time: the machine's, put forward so that it never runs backwards, whatever happens to the machine's clock.
 * In milliseconds since 1970, rounded so that memory is never shortened: the time at which something ended up, the
 * time it is compared with down.
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
     * A clock that reads so much at the start of the machine, and from then on follows its uptime: exactly the same time
     * in every process. Had each process to bring two clocks together, one that is held up in between would lose some
     * milliseconds, and the next would find the operations that much older.
     */
    static FilterClock since(long bootedAt, MachineClock machine) {
        return new FilterClock(() -> Instant.EPOCH.plusNanos(machine.uptimeNanos()), bootedAt);
    }

    /** The same clock, put forward where it reads less than this. */
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
