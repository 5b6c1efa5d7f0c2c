package dev.fbf.loadtest.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.dao.DuplicateKeyException;

/** Clients that increment counters at random, each as fast as it is answered, and remember how often they did. */
public final class Crowd implements AutoCloseable {

    /** The first JDK with virtual threads. */
    private static final int VIRTUAL = 21;

    /** Where a UUID has its version. */
    private static final long VERSION = 0xF000;

    /** Version 4. One of version 7 would carry a time. */
    private static final long RANDOM = 0x4000;

    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(1);

    /** How many of its operations a client remembers, to send one of them again. */
    private static final int REMEMBERED = 64;

    private final int clients;
    private final int counters;
    private final ExecutorService executor;
    private final Map<Enum<?>, AtomicLongArray> answered = new HashMap<>();

    /**
     * Has no clients yet.
     *
     * @param clients how many take part in a workload that does not say it
     * @param virtual whether the clients are virtual threads, with JDK 21 or newer
     * @param counters how many the largest workload has
     */
    public Crowd(int clients, boolean virtual, int counters) {
        this.clients = clients;
        this.counters = counters;
        executor = Executors.newCachedThreadPool(
                virtual && Runtime.version().feature() >= VIRTUAL
                        ? new VirtualThreadTaskExecutor().getVirtualThreadFactory()
                        : Executors.defaultThreadFactory());
    }

    /**
     * Lets a contender work for a while. What goes wrong stops the benchmark.
     *
     * @param nodes the contender's applications: each client is one's, in turn
     * @return {@code requests}; requests per second; response times in microseconds; with several nodes also the 99th percentile of the
     *     slowest over that of the fastest
     */
    public Map<String, Double> run(Workload workload, Enum<?> contender, List<Increments> nodes, Duration time)
            throws InterruptedException, ExecutionException {
        AtomicLongArray its = answered.computeIfAbsent(contender, none -> new AtomicLongArray(counters));
        int taking = workload.clients() == 0 ? clients : workload.clients();
        CyclicBarrier start = new CyclicBarrier(taking);
        List<Future<Share>> shares = new ArrayList<>();
        for (int client = 0; client < taking; client++) {
            Increments increments = nodes.get(client % nodes.size());
            shares.add(executor.submit(() -> {
                start.await();
                return work(workload, increments, its, time.toNanos());
            }));
        }
        List<Histogram> ofNodes =
                Stream.generate(Crowd::histogram).limit(nodes.size()).toList();
        double perSecond = 0;
        for (int client = 0; client < taking; client++) {
            Share share = shares.get(client).get();
            ofNodes.get(client % nodes.size()).add(share.micros);
            perSecond += share.micros.getTotalCount() / (share.nanos / 1e9);
        }
        Histogram micros = histogram();
        ofNodes.forEach(micros::add);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("requests", (double) micros.getTotalCount());
        figures.put("perSecond", perSecond);
        figures.put("p50Micros", (double) micros.getValueAtPercentile(50));
        figures.put("p99Micros", (double) micros.getValueAtPercentile(99));
        figures.put("p999Micros", (double) micros.getValueAtPercentile(99.9));
        if (nodes.size() > 1) {
            DoubleSummaryStatistics p99 = ofNodes.stream()
                    .mapToDouble(node -> node.getValueAtPercentile(99))
                    .summaryStatistics();
            figures.put("unfairness", p99.getMax() / p99.getMin());
        }
        return figures;
    }

    private static Histogram histogram() {
        return new Histogram(LONGEST_MICROS, 3);
    }

    /** The key is made for those, too, who do not look at it. */
    private static Share work(Workload workload, Increments increments, AtomicLongArray answered, long time) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Histogram micros = histogram();
        Operation[] remembered = new Operation[REMEMBERED];
        int made = 0;
        long start = System.nanoTime();
        long now = start;
        while (now - start < time) {
            boolean retry = made > 0 && random.nextDouble() < workload.retries();
            Operation operation = retry
                    ? remembered[random.nextInt(Math.min(made, REMEMBERED))]
                    : new Operation(workload.counter(random), key(random));
            try {
                increments.increment(operation.counter, operation.key);
            } catch (DuplicateKeyException appliedBefore) {
                // a response like any other
            }
            if (!retry) {
                remembered[made % REMEMBERED] = operation;
                made++;
                answered.incrementAndGet(operation.counter);
            }
            long end = System.nanoTime();
            micros.recordValue(Math.min(LONGEST_MICROS, TimeUnit.NANOSECONDS.toMicros(end - now)));
            now = end;
        }
        return new Share(micros, now - start);
    }

    private static String key(ThreadLocalRandom random) {
        return new UUID((random.nextLong() & ~VERSION) | RANDOM, random.nextLong()).toString();
    }

    private record Operation(int counter, String key) {}

    private record Share(Histogram micros, long nanos) {}

    /** Returns how many counters differ from the responses that contenders have given so far. */
    public long wrong(List<Long> values, List<? extends Enum<?>> contenders) {
        return IntStream.range(0, counters)
                .filter(counter -> values.get(counter)
                        != contenders.stream()
                                .map(answered::get)
                                .mapToLong(its -> its == null ? 0 : its.get(counter))
                                .sum())
                .count();
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
