package dev.fbf.core.filter;

import dev.fbf.core.memory.CheckedWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.UUID;

/** Clock of the machine that steps of the wall clock do not affect, with the machine's uptime and boot id. */
interface MachineClock extends InstantSource {

    /** The id of a boot that the operating system does not identify. */
    long UNKNOWN_BOOT = 0;

    /** Returns the id of the machine's current boot, or {@link #UNKNOWN_BOOT}. */
    long boot();

    /**
     * Returns the uptime of the machine in ns. If the boot is known, the uptime is the same in all processes, and independent of the wall
     * clock. It stops while the machine is suspended.
     */
    long uptimeNanos();

    /**
     * Returns a clock that reads the wall clock once, and then follows the monotonic clock: setting the wall clock does not make filters
     * forget early.
     */
    static MachineClock monotonic() {
        Instant start = Instant.now();
        long startNanos = System.nanoTime();
        long boot = currentBoot();
        return new MachineClock() {
            @Override
            public Instant instant() {
                return start.plusNanos(System.nanoTime() - startNanos);
            }

            @Override
            public long boot() {
                return boot;
            }

            @Override
            public long uptimeNanos() {
                return System.nanoTime();
            }
        };
    }

    /**
     * Identifies the boot on Linux, where the monotonic clock counts from it. The clock of a time namespace may not: a process that took
     * its time for the uptime would see operations as older than another process does, and forget them early.
     */
    private static long currentBoot() {
        Path namespace = Path.of("/proc/self/timens_offsets");
        try {
            UUID uuid = UUID.fromString(
                    Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip());
            boolean isAhead =
                    Files.exists(namespace) && !Files.readString(namespace).matches("monotonic\\s+0\\s+0\\s[\\s\\S]*");
            return isAhead ? UNKNOWN_BOOT : Math.max(1, uuid.getLeastSignificantBits() & CheckedWord.MAX_VALUE);
        } catch (IOException | RuntimeException e) {
            return UNKNOWN_BOOT;
        }
    }
}
