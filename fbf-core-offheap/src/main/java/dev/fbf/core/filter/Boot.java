package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A start of the machine, where the operating system tells one from another (Linux).
 *
 * @param id what it is known by, from 1; 0 where the machine does not tell
 * @param uptimeMillis how long it has been up, by a clock that nobody can set
 */
record Boot(long id, long uptimeMillis) {

    static final Boot UNKNOWN = new Boot(0, 0);

    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path UPTIME = Path.of("/proc/uptime");

    /**
     * The system's file of its uptime has a resolution of 10 ms, which a window must not lose each time a filter is
     * opened. Java's monotonic clock is exact, but only some operating systems count it from the machine's start, and
     * not while it is suspended: it is taken where the two agree within this.
     */
    private static final long AGREEMENT_MILLIS = 1_000;

    static Boot current() {
        try {
            UUID uuid = UUID.fromString(Files.readString(ID).strip());
            double uptime = 1000 * Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]);
            long monotonic = System.nanoTime() / 1_000_000;
            return Math.abs(uptime - monotonic) > AGREEMENT_MILLIS
                    ? UNKNOWN
                    : new Boot(Math.max(1, uuid.getLeastSignificantBits() & CheckedWord.MAX_VALUE), monotonic);
        } catch (IOException | IllegalArgumentException e) {
            return UNKNOWN;
        }
    }

    boolean isKnown() {
        return id != 0;
    }

    /** What a clock that reads this now would have read at the start. */
    long startedAt(long now) {
        return now - uptimeMillis;
    }
}
