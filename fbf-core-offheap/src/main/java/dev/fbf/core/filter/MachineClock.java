package dev.fbf.core.filter;

import java.time.Instant;
import java.time.InstantSource;

/** The clocks of the machine. */
interface MachineClock extends InstantSource {

    /** Returns the id of the machine's current boot, or {@link Boot#UNKNOWN}. */
    long boot();

    /**
     * Returns the uptime of the machine, if the boot is known: the same for all processes, and independent of the wall
     * clock. It stands still while the machine is suspended.
     */
    long uptimeNanos();

    /**
     * Reads the wall clock once, then follows the monotonic clock: a change of the wall clock makes no filter forget
     * early.
     */
    static MachineClock monotonic() {
        Instant start = Instant.now();
        long startNanos = System.nanoTime();
        Boot boot = Boot.current();
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
                return System.nanoTime() - boot.nanosAhead();
            }
        };
    }
}
