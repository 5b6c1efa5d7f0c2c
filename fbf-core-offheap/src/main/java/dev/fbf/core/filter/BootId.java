package dev.fbf.core.filter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** Tells one start of the machine from another, where the operating system says so (Linux). */
final class BootId {

    /** Where the machine does not tell: never taken for another start. */
    static final UUID UNKNOWN = new UUID(0, 0);

    private static final Path FILE = Path.of("/proc/sys/kernel/random/boot_id");

    private BootId() {}

    static UUID current() {
        try {
            return UUID.fromString(Files.readString(FILE).strip());
        } catch (IOException | IllegalArgumentException e) {
            return UNKNOWN;
        }
    }
}
