package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * A start of the machine, where the operating system tells one from another (Linux).
 *
 * @param id what it is known by, from 1; 0 where the machine does not tell
 * @param uptimeMillis how long it has been up, by a clock that nobody can set; up to {@link #RESOLUTION_MILLIS} short
 */
record Boot(long id, long uptimeMillis) {

    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path UPTIME = Path.of("/proc/uptime");

    static final Boot UNKNOWN = new Boot(0, 0);

    private static final long RESOLUTION_MILLIS = 10;

    static Boot current() {
        try {
            UUID uuid = UUID.fromString(Files.readString(ID).strip());
            String[] uptime = Files.readString(UPTIME).split(" ", 2);
            return new Boot(
                    Math.max(1, uuid.getLeastSignificantBits() & CheckedWord.MAX_VALUE),
                    Math.round(Double.parseDouble(uptime[0]) * 1000));
        } catch (IOException | IllegalArgumentException e) {
            return UNKNOWN;
        }
    }

    boolean isKnown() {
        return id != 0;
    }

    /** What a clock that reads this now would have read at the start, or a little less. */
    long startedAt(long now) {
        return now - uptimeMillis - RESOLUTION_MILLIS;
    }
}
