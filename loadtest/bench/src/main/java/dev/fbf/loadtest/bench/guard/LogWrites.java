package dev.fbf.loadtest.bench.guard;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterSizing;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Measures what the device is given to write for an operation, by how many operations a transaction has. */
final class LogWrites {

    /** Of which the filter does not grow: growth writes whole files. */
    private static final FilterSizing SIZING = new FilterSizing(
            10_000, FilterSizing.DEFAULT.retryWindow(), FilterSizing.DEFAULT.falsePositiveProbability());

    private final DeviceWrites device;
    private final Path directory;
    private final Duration time;
    private final SplittableRandom random = new SplittableRandom();

    private LogWrites(DeviceWrites device, Path directory, Duration time) {
        this.device = device;
        this.directory = directory;
        this.time = time;
    }

    /**
     * A turn.
     *
     * @param bytes that were written for an operation, without those of others
     * @param others bytes that other processes write in that time, by what they wrote just before
     */
    record Turn(int batch, long operations, double bytes, double others) {}

    /** Measures each batch in turn; returns no turns where the machine does not tell what it writes. */
    static List<Turn> measure(Path directory, List<Integer> batches, int rounds, Duration time)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Optional<DeviceWrites> device = DeviceWrites.of(directory);
        List<Turn> turns = new ArrayList<>();
        if (device.isEmpty()) {
            System.out.println(
                    "bytes written to the device are left out: /proc/diskstats has no device of " + directory);
            return turns;
        }
        int most = batches.stream().mapToInt(Integer::intValue).max().orElseThrow();
        LogWrites writes = new LogWrites(device.get(), directory, time);
        try (DurableNode node = new DurableNode(directory, most, SIZING.plan(false))) {
            for (int round = 0; round < rounds; round++) {
                for (int batch : batches) {
                    turns.add(writes.turn(node, batch));
                    System.out.println(turns.get(turns.size() - 1));
                }
            }
        }
        return turns;
    }

    /*
     * The operating system writes the pages of the mapped filter when it likes, half a minute later as a rule: what earlier turns
     * changed is forced first, so that it is not written in this one. What other processes write is measured just before.
     */
    private Turn turn(DurableNode node, int batch) throws IOException, InterruptedException {
        forceFiles();
        long begin = device.bytes();
        Thread.sleep(time.toMillis());
        double others = device.bytes() - begin;
        long operations = 0;
        long start = System.nanoTime();
        begin = device.bytes();
        while (System.nanoTime() - start < time.toNanos()) {
            operations +=
                    node.apply(Stream.generate(this::operation).limit(batch).toList());
        }
        double written = device.bytes() - begin;
        others *= (System.nanoTime() - start) / (double) time.toNanos();
        return new Turn(batch, operations, Math.max(0, written - others) / operations, others);
    }

    private OperationId operation() {
        return new OperationId(random.nextLong(), random.nextLong());
    }

    private void forceFiles() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.force(true);
                }
            }
        }
    }
}
