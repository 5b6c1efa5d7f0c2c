package dev.fbf.core.filter;

import java.time.Instant;
import java.time.InstantSource;

/**
 * The wall clock's time at the start, then the monotonic clock: nobody who sets the machine's clock makes a filter
 * forget early.
 */
final class MonotonicClock implements InstantSource {

    private final Instant start = Instant.now();
    private final long startNanos = System.nanoTime();

    @Override
    public Instant instant() {
        return start.plusNanos(System.nanoTime() - startNanos);
    }
}
