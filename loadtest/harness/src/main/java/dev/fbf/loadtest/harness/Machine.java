package dev.fbf.loadtest.harness;

import static dev.fbf.loadtest.harness.Table.format;

import dev.fbf.process.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Watches what the machine does to a run: other tenants' processor time, the disk, and other work at its begin. */
public final class Machine {

    private static final Path STAT = Path.of("/proc/stat");
    private static final int STATES = 8;
    private static final Duration BEFORE = Duration.ofSeconds(1);
    private static final int SYNCS = 50;

    private final Path directory;
    private final double busy;
    private final long[] begin;
    private final double syncMicros;

    private Machine(Path directory, double busy) throws IOException {
        this.directory = directory;
        this.busy = busy;
        syncMicros = syncMicros(directory);
        begin = processorTimes();
    }

    /** Begins to watch, after a second in which this JVM does nothing; the directory is on the disk that is measured. */
    public static Machine watch(Path directory) throws IOException, InterruptedException {
        long[] before = processorTimes();
        Waiting.sleep(BEFORE);
        return new Machine(directory, share(before, processorTimes(), 0, 1, 2, 5, 6));
    }

    /**
     * What the machine did to a run.
     *
     * @param steal the part of the processors' time that other tenants took; 0 where the machine does not tell
     * @param syncMicrosBefore the median time of a write of 8 KiB and its fdatasync before the run, in microseconds
     * @param syncMicros the same after it
     * @param busy the part of the processors' time that other processes took in the second before the run; 0 where the machine does
     *     not tell
     */
    public record Disturbance(
            double steal,
            double syncMicrosBefore,
            double syncMicros,
            double busy,
            @Nullable String warning) {

        private static final double MOST_STEAL = 0.05;
        private static final double SYNC_CHANGE = 3;

        private static final double MOST_BUSY = 0.25;

        static Disturbance of(double steal, double syncMicrosBefore, double syncMicros, double busy) {
            StringBuilder warning = new StringBuilder();
            if (steal > MOST_STEAL) {
                warning.append(format("; other tenants took %.0f %% of the processors' time", 100 * steal));
            }
            if (Math.max(syncMicros, syncMicrosBefore) > SYNC_CHANGE * Math.min(syncMicros, syncMicrosBefore)) {
                warning.append(format("; a sync of the disk took %.0f, then %.0f µs", syncMicrosBefore, syncMicros));
            }
            if (busy > MOST_BUSY) {
                warning.append(
                        format("; other processes took %.0f %% of the processors' time before it began", 100 * busy));
            }
            return new Disturbance(
                    steal,
                    syncMicrosBefore,
                    syncMicros,
                    busy,
                    warning.isEmpty() ? null : "times and rates are worthless" + warning);
        }

        @Override
        public String toString() {
            return format(
                    "steal %.1f %%; a sync of the disk %.0f µs, before %.0f µs; other processes before %.0f %%",
                    100 * steal, syncMicros, syncMicrosBefore, 100 * busy);
        }
    }

    /** What happened since the watch began. */
    public Disturbance disturbance() throws IOException {
        return Disturbance.of(share(begin, processorTimes(), 7), syncMicros, syncMicros(directory), busy);
    }

    private static double share(long[] begin, long[] now, int... states) {
        long all = Arrays.stream(now).sum() - Arrays.stream(begin).sum();
        return all == 0
                ? 0
                : (double) Arrays.stream(states)
                                .mapToLong(state -> now[state] - begin[state])
                                .sum()
                        / all;
    }

    /** In ticks: user, nice, system, idle, iowait, irq, softirq, steal. */
    private static long[] processorTimes() {
        try {
            return Arrays.stream(Files.readAllLines(STAT).get(0).trim().split(" +"))
                    .skip(1)
                    .limit(STATES)
                    .mapToLong(Long::parseLong)
                    .toArray();
        } catch (IOException e) {
            return new long[0];
        }
    }

    /** The median time of a write of 8 KiB to a file of a directory, and its fdatasync, in microseconds. */
    public static double syncMicros(Path directory) throws IOException {
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
