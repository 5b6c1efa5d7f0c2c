package dev.fbf.core.filter;

import java.time.Instant;
import java.time.InstantSource;

/** Clock of the machine that steps of the wall clock do not affect, with the machine's uptime and boot id. */
interface MachineClock extends InstantSource {

    /** Returns the id of the machine's current boot, or {@link Boot#UNKNOWN}. */
    long boot();

    /**
     * Returns the uptime of the machine in ns. If the boot is known, the uptime is the same in all processes, and independent of the wall
     * clock. It stops while the machine is suspended.
     */
    long uptimeNanos();

    /**
     * Returns a clock that reads the wall clock once, and then follows the monotonic clock: setting the wall clock does not make filters
     * forget early.
     */
    static MachineClock monotonic() {
        Instant start = Instant.now();
        long startNanos = System.nanoTime();
        Boot boot = Boot.current();
        long nanosAhead = boot.nanosAhead();
        return new MachineClock() {
            @Override
            public Instant instant() {
                return start.plusNanos(System.nanoTime() - startNanos);
            }

            @Override
            public long boot() {
                return boot.id();
            }

            @Override
            public long uptimeNanos() {
                return System.nanoTime() - nanosAhead;
            }
        };
    }
}
