package dev.fbf.loadtest.torture.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** What the machine did to a run: the processor time that other tenants took, and how long its disk took to sync. */
final class Machine {

    private static final Path STAT = Path.of("/proc/stat");
    private static final int STEAL = 8;
    private static final int SYNCS = 50;

    private final long[] begin = processorTimes();

    /**
     * What happened since this was made.
     *
     * @param steal the part of the processors' time that other tenants took; 0 where the machine does not tell
     * @param syncMicros the median time of a write of 8 KiB and its fdatasync, in microseconds
     */
    record Disturbance(double steal, double syncMicros) {}

    /** @param directory on the disk that is measured */
    Disturbance since(Path directory) throws IOException {
        long[] now = processorTimes();
        long all = Arrays.stream(now).sum() - Arrays.stream(begin).sum();
        return new Disturbance(
                now.length < STEAL || all == 0 ? 0 : (double) (now[STEAL - 1] - begin[STEAL - 1]) / all,
                syncMicros(directory));
    }

    /** In ticks: user, nice, system, idle, iowait, irq, softirq, steal. */
    private static long[] processorTimes() {
        try {
            String all = Files.readAllLines(STAT).get(0);
            return Arrays.stream(all.trim().split(" +"))
                    .skip(1)
                    .limit(STEAL)
                    .mapToLong(Long::parseLong)
                    .toArray();
        } catch (IOException e) {
            return new long[0];
        }
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
