package dev.fbf.db.witness;

import java.time.Duration;

/**
 * A moment, by two clocks: {@link System#nanoTime()} stops while the host is suspended, and the wall clock can be set. If one shows that the
 * time is over, it is over.
 */
record Moment(long nanos, long wallMillis) {

    static Moment now() {
        return new Moment(System.nanoTime(), System.currentTimeMillis());
    }

    /** Returns whether less than the given time has passed since this moment. */
    boolean isWithin(Duration time) {
        return System.nanoTime() - nanos < time.toNanos()
                && Math.abs(System.currentTimeMillis() - wallMillis) < time.toMillis();
    }
}
