package dev.fbf.core.filter;

import dev.fbf.core.memory.CheckedWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The current boot of the machine, if the operating system identifies it (Linux).
 *
 * @param id its id; {@link #UNKNOWN} if the id or the offset is not available
 * @param nanosAhead the offset of the monotonic clock from the machine's uptime in ns; 0 if the boot is unknown
 */
record Boot(long id, long nanosAhead) {

    /*
     * All processes of one boot must read the same uptime. Otherwise one process would see operations as older than another does, and
     * forget them early. On Linux, Java's monotonic clock counts from boot but stops while the machine is suspended. It does so for all
     * processes, and it only extends the filter's memory. However, a container may have a time namespace whose clock has an offset; the
     * system exposes that offset.
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
