package dev.fbf.loadtest.bench.guard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Counts the bytes that the machine writes to the device of a directory, whichever process writes them. */
final class DeviceWrites {

    private static final Path STATISTICS = Path.of("/proc/diskstats");
    private static final int SECTOR = 512;

    /** In a line of the statistics: major, minor, name, 4 fields of reads, writes completed, writes merged. */
    private static final int SECTORS_WRITTEN = 9;

    private final long device;

    private DeviceWrites(long device) {
        this.device = device;
    }

    /** Empty where the operating system does not tell, as of a directory that is not on a block device. */
    static Optional<DeviceWrites> of(Path directory) throws IOException {
        if (!Files.isReadable(STATISTICS)) {
            return Optional.empty();
        }
        long device = (Long) Files.getAttribute(directory, "unix:dev");
        return bytes(Files.readAllLines(STATISTICS), device).isPresent()
                ? Optional.of(new DeviceWrites(device))
                : Optional.empty();
    }

    /** The bytes since the machine was started. */
    long bytes() throws IOException {
        return bytes(Files.readAllLines(STATISTICS), device).orElseThrow();
    }

    /** Linux packs the numbers of a device: the low 8 bits of the minor, 12 of the major, the rest of the minor. */
    static OptionalLong bytes(List<String> statistics, long device) {
        long major = (device >>> 8) & 0xfff;
        long minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
        return statistics.stream()
                .map(line -> line.strip().split(" +"))
                .filter(fields -> fields[0].equals(Long.toString(major)) && fields[1].equals(Long.toString(minor)))
                .mapToLong(fields -> Long.parseLong(fields[SECTORS_WRITTEN]) * SECTOR)
                .findFirst();
    }
}
