package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;

/** Tells one start of the machine from another, where the operating system does (Linux). */
final class Boot {

    /*
     * All processes of one start must read the same uptime, or operations would look older to one than to another and be
     * forgotten early. Linux counts Java's monotonic clock from the machine's start, but not while it is suspended: that is
     * the same for all of them, and only lets a filter remember for longer. A container may have a time namespace, though,
     * in which the clock is ahead or behind; the system tells by how much.
     */

    /** Where the machine does not tell. */
    static final long UNKNOWN = 0;

    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NAMESPACE = Path.of("/proc/self/timens_offsets");

    private Boot() {}

    /** What the current start is known by, or {@link #UNKNOWN} where it, or the time since then, is not known. */
    static long id() {
        try {
            UUID uuid = UUID.fromString(Files.readString(ID).strip());
            readNanosAhead(); // else nobody knows how long ago that was
            return Math.max(1, uuid.getLeastSignificantBits() & CheckedWord.MAX_VALUE);
        } catch (IOException | RuntimeException e) {
            return UNKNOWN;
        }
    }

    /** How far the monotonic clock is ahead of the machine's uptime, if its start is known. */
    static long nanosAhead() {
        try {
            return readNanosAhead();
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    private static long readNanosAhead() throws IOException {
        try {
            return Files.readAllLines(NAMESPACE).stream()
                    .map(line -> line.strip().split("\\s+"))
                    .filter(words -> words[0].equals("monotonic"))
                    .mapToLong(words -> Long.parseLong(words[1]) * 1_000_000_000 + Long.parseLong(words[2]))
                    .findFirst()
                    .orElseThrow();
        } catch (NoSuchFileException e) {
            return 0; // this Linux has no time namespaces
        }
    }
}
