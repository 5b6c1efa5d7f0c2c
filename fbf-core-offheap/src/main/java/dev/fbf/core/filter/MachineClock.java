package dev.fbf.core.filter;

import java.time.Instant;
import java.time.InstantSource;

/** What the machine knows of time. */
interface MachineClock extends InstantSource {

    /** What the current start of the machine is known by, or {@link Boot#UNKNOWN}. */
    long boot();

    /**
     * How long the machine has been up, if its start is known: the same for all processes, and nobody can set it. It stands
     * still while the machine is suspended.
     */
    long uptimeNanos();

    /**
     * The wall clock's time at the start, then the monotonic clock: nobody who sets the machine's clock makes a filter
     * forget early.
     */
    static MachineClock monotonic() {
        Instant start = Instant.now();
        long startNanos = System.nanoTime();
        long ahead = Boot.nanosAhead();
        return new MachineClock() {
            @Override
            public Instant instant() {
                return start.plusNanos(System.nanoTime() - startNanos);
            }

            @Override
            public long boot() {
                return Boot.id();
            }

            @Override
            public long uptimeNanos() {
                return System.nanoTime() - ahead;
            }
        };
    }
}
