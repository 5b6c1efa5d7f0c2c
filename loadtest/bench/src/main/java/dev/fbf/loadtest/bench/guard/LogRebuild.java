package dev.fbf.loadtest.bench.guard;

import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.harness.Directories;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Measures how long a node takes to open when its log has all operations of its filter, and the filter has none: the most that a
 * power failure can take. Classes and page cache are warm.
 */
final class LogRebuild {

    private static final int BATCH = 1_000;

    private LogRebuild() {}

    /** What was found. */
    record Result(int operations, List<Double> seconds, long lost) {}

    static Result measure(Path directory, int operations, int times) throws IOException {
        SplittableRandom random = new SplittableRandom();
        List<OperationId> all = Stream.generate(() -> new OperationId(random.nextLong(), random.nextLong()))
                .limit(operations)
                .toList();
        FilterPlan plan = plan(operations);
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
                copyAsLeft(full, left, empty);
                long start = System.nanoTime();
                try (DurableNode next = new DurableNode(left, BATCH, plan)) {
                    seconds.add((System.nanoTime() - start) / 1e9);
                    lost += next.lost(all);
                }
                Directories.delete(left);
            }
        }
        return new Result(operations, seconds, lost);
    }

    /** So that all operations are of one period. */
    private static FilterPlan plan(int operations) {
        FilterSizing preset = FilterSizing.DEFAULT;
        double rate = (double) operations / preset.plan().period().toSeconds();
        return new FilterSizing(rate, preset.retryWindow(), preset.falsePositiveProbability()).plan(false);
    }

    private static void copyAsLeft(Path full, Path left, Path emptyFilter) throws IOException {
        Files.createDirectories(left);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(full)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (!name.equals("fbf.lock")) {
                    Files.copy(name.equals(DurableNode.FILTER_FILE) ? emptyFilter : file, left.resolve(name));
                }
            }
        }
    }
}
