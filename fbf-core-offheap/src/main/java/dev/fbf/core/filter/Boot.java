package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Tells one start of the machine from another, where the operating system does (Linux). */
final class Boot {

    /** Where the machine does not tell. */
    static final long UNKNOWN = 0;

    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path UPTIME = Path.of("/proc/uptime");

    /**
     * Java's monotonic clock is exact, but only some operating systems count it from the machine's start, and not while
     * it is suspended: it is taken for the uptime where the two agree within this.
     */
    private static final long AGREEMENT_NANOS = 1_000_000_000;

    private Boot() {}

    /** What the current start is known by, or {@link #UNKNOWN} where it, or the time since then, is not known. */
    static long id() {
        try {
            UUID uuid = UUID.fromString(Files.readString(ID).strip());
            double uptime = 1e9 * Double.parseDouble(Files.readString(UPTIME).split(" ", 2)[0]);
            return Math.abs(uptime - System.nanoTime()) > AGREEMENT_NANOS
                    ? UNKNOWN
                    : Math.max(1, uuid.getLeastSignificantBits() & CheckedWord.MAX_VALUE);
        } catch (IOException | IllegalArgumentException e) {
            return UNKNOWN;
        }
    }
}
