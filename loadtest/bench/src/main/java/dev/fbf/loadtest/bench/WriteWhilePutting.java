package dev.fbf.loadtest.bench;

import dev.fbf.core.keyed.Funnel;
import dev.fbf.core.keyed.KeyedFilter;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.harness.Rounds;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * How long it takes to write a filter of about so many bytes while two threads put, over a copy of its file while they
 * do; each in turn.
 */
final class WriteWhilePutting {

    private static final int ROUNDS = 7;
    private static final int THREADS = 2;
    private static final Duration WINDOW = Duration.ofHours(1);
    private static final double FPP = 1e-6;

    private WriteWhilePutting() {}

    static double ratio(int mebibytes) throws IOException, InterruptedException {
        double bytes = mebibytes * 1024.0 * 1024;
        FilterSizing probe = new FilterSizing(1_000, WINDOW, FPP);
        double rate = 1_000 * bytes / probe.plan().bytes();
        // no room for another arena, of which the copy would know nothing
        FilterSizing sizing = new FilterSizing(
                rate, WINDOW, FPP, new FilterSizing(rate, WINDOW, FPP).plan().bytes());
        try (BenchDirectory temporary = BenchDirectory.create();
                KeyedFilter<Long> filter =
                        KeyedFilter.open(temporary.path().resolve("filter"), Funnel.NUMBER, sizing)) {
            AtomicBoolean stop = new AtomicBoolean();
            List<Thread> threads = IntStream.range(0, THREADS)
                    .mapToObj(number -> new Thread(() -> {
                        for (long key = (long) number << Integer.SIZE; !stop.get(); key++) {
                            filter.put(key);
                        }
                    }))
                    .toList();
            threads.forEach(Thread::start);
            try {
                return measure(filter, temporary.path());
            } finally {
                stop.set(true);
                for (Thread thread : threads) {
                    thread.join();
                }
            }
        }
    }

    private static double measure(KeyedFilter<Long> filter, Path directory) throws IOException {
        Path written = directory.resolve("written");
        Path copied = directory.resolve("copied");
        Path source = directory.resolve("filter").resolve("keys~1.fbf");
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            Files.deleteIfExists(written);
            Files.deleteIfExists(copied);
            long start = System.nanoTime();
            try (OutputStream out = Files.newOutputStream(written)) {
                filter.writeTo(out);
            }
            long middle = System.nanoTime();
            Files.copy(source, copied);
            ratios.add((double) (middle - start) / (System.nanoTime() - middle));
        }
        return Rounds.median(ratios);
    }
}
