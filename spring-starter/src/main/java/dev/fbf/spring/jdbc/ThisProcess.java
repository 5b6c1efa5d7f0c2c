package dev.fbf.spring.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How other nodes and operators find this process. */
final class ThisProcess {

    /** Where Linux tells the host's name, without asking the network. */
    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

    private ThisProcess() {}

    /** Names the host and the process. */
    static String name() {
        return "host " + host() + ", process " + ProcessHandle.current().pid();
    }

    /** Names the host, the process and its directory. */
    static String with(Path directory) {
        return name() + ", directory " + directory.toAbsolutePath().normalize();
    }

    private static String host() {
        try {
            return Files.readString(HOST).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
