package dev.fbf.core.filter;

import java.time.Instant;
import java.time.InstantSource;

/** What the machine knows of time. */
interface MachineClock extends InstantSource {

    Boot boot();

    /**
     * The wall clock's time at the start, then the monotonic clock: nobody who sets the machine's clock makes a filter
     * forget early.
     */
    static MachineClock monotonic() {
        Instant start = Instant.now();
        long startNanos = System.nanoTime();
        return new MachineClock() {
            @Override
            public Instant instant() {
                return start.plusNanos(System.nanoTime() - startNanos);
            }

            @Override
            public Boot boot() {
                return Boot.current();
            }
        };
    }
}
