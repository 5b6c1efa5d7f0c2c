package dev.fbf.loadtest.bench;

import dev.fbf.core.keyed.Funnel;
import dev.fbf.core.keyed.KeyedFilter;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.harness.Rounds;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * How long it takes to write a filter of about so many bytes while two threads put, over a copy of its file while they
 * do; each in turn. All that was put before must be in what was written last.
 */
final class WriteWhilePutting {

    private static final int ROUNDS = 7;
    private static final int THREADS = 2;
    private static final Duration WINDOW = Duration.ofHours(1);
    private static final double FPP = 1e-6;
    private static final int CHECKED_AT_ONCE = 4_096;

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
            List<AtomicLong> put = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            AtomicBoolean stop = new AtomicBoolean();
            for (int number = 0; number < THREADS; number++) {
                long first = (long) number << Integer.SIZE;
                AtomicLong next = new AtomicLong(first);
                put.add(next);
                threads.add(new Thread(() -> {
                    for (long key = first; !stop.get(); key++) {
                        filter.put(key);
                        next.set(key + 1);
                    }
                }));
            }
            threads.forEach(Thread::start);
            try {
                return measure(filter, temporary.path(), put);
            } finally {
                stop.set(true);
                for (Thread thread : threads) {
                    thread.join();
                }
            }
        }
    }

    private static double measure(KeyedFilter<Long> filter, Path directory, List<AtomicLong> put) throws IOException {
        Path written = directory.resolve("written");
        Path copied = directory.resolve("copied");
        Path source = directory.resolve("filter").resolve("keys~1.fbf");
        List<Double> ratios = new ArrayList<>();
        List<Long> before = List.of();
        for (int round = 0; round < ROUNDS; round++) {
            Files.deleteIfExists(written);
            Files.deleteIfExists(copied);
            before = put.stream().map(AtomicLong::get).toList();
            long start = System.nanoTime();
            try (OutputStream out = Files.newOutputStream(written)) {
                filter.writeTo(out);
            }
            long middle = System.nanoTime();
            Files.copy(source, copied);
            ratios.add((double) (middle - start) / (System.nanoTime() - middle));
        }
        requireAll(written, before);
        return Rounds.median(ratios);
    }

    private static void requireAll(Path written, List<Long> before) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(written));
                KeyedFilter<Long> read = KeyedFilter.readFrom(Funnel.NUMBER, in)) {
            for (int thread = 0; thread < before.size(); thread++) {
                long end = before.get(thread);
                for (long first = (long) thread << Integer.SIZE; first < end; first += CHECKED_AT_ONCE) {
                    List<Long> keys = LongStream.range(first, Math.min(end, first + CHECKED_AT_ONCE))
                            .boxed()
                            .toList();
                    for (boolean found : read.mightContainAll(keys)) {
                        if (!found) {
                            throw new IllegalStateException("a key that was put before is not in what was written");
                        }
                    }
                }
            }
        }
    }
}
