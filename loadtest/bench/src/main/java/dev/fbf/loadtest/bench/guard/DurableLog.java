package dev.fbf.loadtest.bench.guard;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.harness.process.Directories;
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

/** Measures the log of {@code durability=host}: the bytes that the device writes per operation, and the rebuild of a filter. */
final class DurableLog {

    private static final FilterSizing PRESET = FilterSizing.DEFAULT;
    private static final double WRITES_PER_SECOND = 10_000;
    private static final int BATCH = 1_000;

    private static final SplittableRandom RANDOM = new SplittableRandom();

    private DurableLog() {}

    /**
     * A turn of writes.
     *
     * @param bytes that were written per operation, without those of other processes
     * @param others bytes that other processes write in that time, by what they wrote just before
     */
    record Turn(int batch, long operations, double bytes, double others) {}

    /** Seconds of each rebuild, and the operations that the rebuilt filters lack. */
    record Rebuild(int operations, List<Double> seconds, long lost) {}

    /** A plan whose filter does not grow: growth writes whole files. */
    private static FilterPlan plan(double operationsPerSecond) {
        return new FilterSizing(operationsPerSecond, PRESET.retryWindow(), PRESET.falsePositiveProbability())
                .plan(false);
    }

    private static List<OperationId> operations(int count) {
        return Stream.generate(() -> new OperationId(RANDOM.nextLong(), RANDOM.nextLong()))
                .limit(count)
                .toList();
    }

    private static List<Path> files(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            List<Path> all = new ArrayList<>();
            files.forEach(all::add);
            return all;
        }
    }

    /** Measures each batch in turn; returns no turns where the machine does not count writes. */
    static List<Turn> writes(Path directory, List<Integer> batches, int rounds, Duration time)
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
        try (DurableNode node = new DurableNode(directory, most, plan(WRITES_PER_SECOND))) {
            for (int round = 0; round < rounds; round++) {
                for (int batch : batches) {
                    turns.add(turn(device.get(), directory, node, batch, time));
                    System.out.println(turns.get(turns.size() - 1));
                }
            }
        }
        return turns;
    }

    /*
     * The operating system writes the pages of the mapped filter when it likes, half a minute later as a rule: pages that earlier
     * turns changed are forced first, so that they are not written in this one. Writes of other processes are measured just before.
     */
    private static Turn turn(DeviceWrites device, Path directory, DurableNode node, int batch, Duration time)
            throws IOException, InterruptedException {
        for (Path file : files(directory)) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.force(true);
            }
        }
        long begin = device.bytes();
        Thread.sleep(time.toMillis());
        double others = device.bytes() - begin;
        long operations = 0;
        long start = System.nanoTime();
        begin = device.bytes();
        while (System.nanoTime() - start < time.toNanos()) {
            operations += node.apply(operations(batch));
        }
        double written = device.bytes() - begin;
        others *= (System.nanoTime() - start) / (double) time.toNanos();
        return new Turn(batch, operations, Math.max(0, written - others) / operations, others);
    }

    /**
     * Measures the opening of a node whose log has all operations of its filter, and whose filter is empty: the most that a power
     * failure can take. Classes and page cache are warm.
     */
    static Rebuild rebuild(Path directory, int operations, int times) throws IOException {
        List<OperationId> all = operations(operations);
        // so that all operations are of one period
        FilterPlan plan = plan((double) operations / PRESET.plan().period().toSeconds());
        Path full = directory.resolve("full");
        Path left = directory.resolve("left");
        Path empty = directory.resolve("empty-filter");
        List<Double> seconds = new ArrayList<>();
        long lost = 0;
        try (DurableNode node = new DurableNode(full, BATCH, plan)) {
            Files.copy(full.resolve(DurableNode.FILTER_FILE), empty);
            for (int begin = 0; begin < operations; begin += BATCH) {
                node.apply(all.subList(begin, Math.min(begin + BATCH, operations)));
            }
            for (int time = 0; time < times; time++) {
                Files.createDirectories(left);
                for (Path file : files(full)) {
                    String name = file.getFileName().toString();
                    if (!name.equals("fbf.lock")) {
                        Files.copy(name.equals(DurableNode.FILTER_FILE) ? empty : file, left.resolve(name));
                    }
                }
                long start = System.nanoTime();
                try (DurableNode next = new DurableNode(left, BATCH, plan)) {
                    seconds.add((System.nanoTime() - start) / 1e9);
                    lost += next.lost(all);
                }
                Directories.delete(left);
            }
        }
        return new Rebuild(operations, seconds, lost);
    }
}
