package dev.fbf.db.witness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A moment, measured by three clocks. Each alone is insufficient to measure the time since: {@link System#nanoTime()} stops while the host
 * is suspended, the wall clock can be set, and the uptime is not available on every system.
 *
 * @param uptimeMillis the host's uptime including suspension, in ms; -1 if not available
 */
record Moment(long nanos, long wallMillis, long uptimeMillis) {

    private static final long UNKNOWN = -1;

    /** Linux: seconds with two decimals. */
    private static final Path UPTIME = Path.of("/proc/uptime");

    static Moment now() {
        return new Moment(System.nanoTime(), System.currentTimeMillis(), uptime());
    }

    /** Returns whether less than the given time has passed since this moment. */
    boolean isWithin(Duration time) {
        if (System.nanoTime() - nanos >= time.toNanos()) {
            return false;
        }
        return Math.abs(System.currentTimeMillis() - wallMillis) < time.toMillis() || wasSet(time);
    }

    /** Returns whether less than the given time has passed by the uptime, which includes suspension: then the wall clock was set. */
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
