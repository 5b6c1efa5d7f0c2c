package dev.fbf.loadtest.harness;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Watches what the machine does to a run: other tenants' processor time, the disk, and other work at its begin. */
public final class Machine {

    private static final Path STAT = Path.of("/proc/stat");
    private static final int STEAL = 8;
    private static final int SYNCS = 50;

    private final Path directory;
    private final double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    private final long[] begin = processorTimes();
    private final double syncMicros;

    private Machine(Path directory) throws IOException {
        this.directory = directory;
        syncMicros = syncMicros(directory);
    }

    /** Begins to watch; the directory is on the disk that is measured. */
    public static Machine watch(Path directory) throws IOException {
        return new Machine(directory);
    }

    /**
     * What the machine did to a run.
     *
     * @param steal the part of the processors' time that other tenants took; 0 where the machine does not tell
     * @param syncMicrosBefore the median time of a write of 8 KiB and its fdatasync before the run, in microseconds
     * @param syncMicros the same after it
     * @param load the machine's load average of the minute before the run; negative where the machine does not tell
     */
    public record Disturbance(
            double steal,
            double syncMicrosBefore,
            double syncMicros,
            double load,
            @Nullable String warning) {

        private static final double MOST_STEAL = 0.05;
        private static final double SYNC_CHANGE = 3;

        /** The build before a run keeps the processors busy, too. */
        private static final double MOST_LOAD = 2;

        static Disturbance of(double steal, double syncMicrosBefore, double syncMicros, double load, int cores) {
            StringBuilder warning = new StringBuilder();
            if (steal > MOST_STEAL) {
                warning.append(format("; other tenants took %.0f %% of the processors' time", 100 * steal));
            }
            if (Math.max(syncMicros, syncMicrosBefore) > SYNC_CHANGE * Math.min(syncMicros, syncMicrosBefore)) {
                warning.append(format("; a sync of the disk took %.0f, then %.0f µs", syncMicrosBefore, syncMicros));
            }
            if (load > MOST_LOAD * cores) {
                warning.append(format("; %.1f processes were at work on %d cores before it began", load, cores));
            }
            return new Disturbance(
                    steal,
                    syncMicrosBefore,
                    syncMicros,
                    load,
                    warning.isEmpty() ? null : "times and rates are worthless" + warning);
        }

        @Override
        public String toString() {
            return format(
                    "steal %.1f %%; a sync of the disk %.0f µs, before %.0f µs; load average before %.1f",
                    100 * steal, syncMicros, syncMicrosBefore, load);
        }

        private static String format(String format, Object... values) {
            return String.format(Locale.ROOT, format, values);
        }
    }

    /** What happened since the watch began. */
    public Disturbance disturbance() throws IOException {
        return Disturbance.of(
                steal(),
                syncMicros,
                syncMicros(directory),
                load,
                Runtime.getRuntime().availableProcessors());
    }

    /** The part of the processors' time that other tenants took since the watch began; 0 where the machine does not tell. */
    public double steal() {
        return steal(begin, processorTimes());
    }

    static double steal(long[] begin, long[] now) {
        long all = Arrays.stream(now).sum() - Arrays.stream(begin).sum();
        return now.length < STEAL || all == 0 ? 0 : (double) (now[STEAL - 1] - begin[STEAL - 1]) / all;
    }

    /** In ticks: user, nice, system, idle, iowait, irq, softirq, steal. */
    private static long[] processorTimes() {
        try {
            return ticks(Files.readAllLines(STAT).get(0));
        } catch (IOException e) {
            return new long[0];
        }
    }

    static long[] ticks(String line) {
        return Arrays.stream(line.trim().split(" +"))
                .skip(1)
                .limit(STEAL)
                .mapToLong(Long::parseLong)
                .toArray();
    }

    private static double syncMicros(Path directory) throws IOException {
        Path file = directory.resolve("sync");
        long[] nanos = new long[SYNCS];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int i = 0; i < SYNCS; i++) {
                long start = System.nanoTime();
                channel.write(ByteBuffer.allocate(8_192), i * 8_192L);
                channel.force(false);
                nanos[i] = System.nanoTime() - start;
            }
        } finally {
            Files.deleteIfExists(file);
        }
        Arrays.sort(nanos);
        return nanos[SYNCS / 2] / 1e3;
    }
}
