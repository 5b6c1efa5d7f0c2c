package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The current boot of the machine, where the operating system allows to identify it (Linux).
 *
 * @param id its id, or {@link #UNKNOWN} where it, or the time since boot, is not known
 * @param nanosAhead the offset of the monotonic clock from the machine's uptime, if the boot is known
 */
record Boot(long id, long nanosAhead) {

    /*
     * All processes of one boot must read the same uptime, or operations would look older to one than to another and be
     * forgotten early. On Linux Java's monotonic clock counts from boot, but not while the machine is suspended: that is
     * the same for all processes, and only extends the filter's memory. A container may have a time namespace, though,
     * whose clock has an offset; the system states it.
     */

    static final long UNKNOWN = 0;

    private static final Path ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NAMESPACE = Path.of("/proc/self/timens_offsets");

    static Boot current() {
        try {
            UUID uuid = UUID.fromString(Files.readString(ID).strip());
            return new Boot(Math.max(1, uuid.getLeastSignificantBits() & CheckedWord.MAX_VALUE), readNanosAhead());
        } catch (IOException | RuntimeException e) {
            return new Boot(UNKNOWN, 0);
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
