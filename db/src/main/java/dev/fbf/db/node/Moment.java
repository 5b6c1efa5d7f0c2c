package dev.fbf.db.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A moment, by three clocks, none of which tells alone how long ago that is: {@link System#nanoTime()} stands still while the
 * host sleeps, the wall clock can be set, and not every system tells its uptime.
 *
 * @param uptimeMillis for how long the host has been up, asleep or not; -1 where that is not known
 */
record Moment(long nanos, long wallMillis, long uptimeMillis) {

    private static final long UNKNOWN = -1;

    /** Seconds on Linux, with two decimals. */
    private static final Path UPTIME = Path.of("/proc/uptime");

    static Moment now() {
        return new Moment(System.nanoTime(), System.currentTimeMillis(), uptime());
    }

    /** Whether less time has passed since. */
    boolean isWithin(Duration time) {
        if (System.nanoTime() - nanos >= time.toNanos()) {
            return false;
        }
        return Math.abs(System.currentTimeMillis() - wallMillis) < time.toMillis() || wasSet(time);
    }

    /** Whether the wall clock was set, and the host has not slept. */
    private boolean wasSet(Duration time) {
        long now = uptimeMillis == UNKNOWN ? UNKNOWN : uptime();
        return now != UNKNOWN && now - uptimeMillis < time.toMillis();
    }

    private static long uptime() {
        try {
            return (long) (Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]) * 1_000);
        } catch (IOException | RuntimeException e) {
            return UNKNOWN;
        }
    }
}
