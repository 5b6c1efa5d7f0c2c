package dev.fbf.loadtest.bench.guard;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.dao.DuplicateKeyException;

/** Threads that increment counters at random, each as fast as it is answered, and remember how often they did. */
final class Crowd implements AutoCloseable {

    /** Where a UUID has its version. */
    private static final long VERSION = 0xF000;

    /** Version 4. One of version 7 would carry a time. */
    private static final long RANDOM = 0x4000;

    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(1);

    /** How many of its operations a thread remembers, to send one of them again. */
    private static final int REMEMBERED = 64;

    private final int threads;
    private final int counters;
    private final ExecutorService executor;
    private final Map<GuardContender, AtomicLongArray> done = new EnumMap<>(GuardContender.class);

    /** @param virtual whether the threads are virtual ones, which need Java 21 */
    Crowd(int threads, boolean virtual, int counters) {
        this.threads = threads;
        this.counters = counters;
        ThreadFactory factory =
                virtual ? new VirtualThreadTaskExecutor().getVirtualThreadFactory() : Executors.defaultThreadFactory();
        executor = Executors.newFixedThreadPool(threads, factory);
        for (GuardContender contender : GuardContender.values()) {
            done.put(contender, new AtomicLongArray(counters));
        }
    }

    /**
     * Lets a contender work for a while. What goes wrong stops the benchmark.
     *
     * @param server the processor time that the server has used so far
     */
    Turn run(
            Workload workload,
            GuardContender contender,
            Increments increments,
            Duration time,
            Supplier<Duration> server,
            Supplier<Costs> costs)
            throws InterruptedException, ExecutionException {
        AtomicLongArray answered = Objects.requireNonNull(done.get(contender));
        int clients = workload.clients(threads);
        CyclicBarrier start = new CyclicBarrier(clients);
        Costs costsBefore = costs.get();
        Duration clientBefore = clientTime();
        Duration serverBefore = server.get();
        List<Future<Share>> shares = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            shares.add(executor.submit(() -> {
                start.await();
                return work(workload, increments, answered, time.toNanos());
            }));
        }
        Histogram micros = new Histogram(LONGEST_MICROS, 3);
        double perSecond = 0;
        for (Future<Share> share : shares) {
            micros.add(share.get().micros);
            perSecond += share.get().micros.getTotalCount() / (share.get().nanos / 1e9);
        }
        double requests = micros.getTotalCount();
        double clientNanos = clientTime().minus(clientBefore).toNanos();
        double serverNanos = server.get().minus(serverBefore).toNanos();
        Costs spent = costs.get().minus(costsBefore);
        return new Turn(
                workload,
                contender,
                perSecond,
                micros.getValueAtPercentile(50),
                micros.getValueAtPercentile(99),
                micros.getValueAtPercentile(99.9),
                clientNanos / requests / 1e3,
                serverNanos / requests / 1e3,
                spent.transactions() / requests,
                spent.walBytes() / requests,
                spent.tableBytes() / requests);
    }

    private static Duration clientTime() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** How many operations each counter was to be incremented by. */
    List<Long> answered(GuardContender contender) {
        AtomicLongArray answered = Objects.requireNonNull(done.get(contender));
        List<Long> counts = new ArrayList<>();
        for (int counter = 0; counter < counters; counter++) {
            counts.add(answered.get(counter));
        }
        return counts;
    }

    /** The key is made for those, too, who do not look at it. */
    private Share work(Workload workload, Increments increments, AtomicLongArray answered, long time) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Histogram micros = new Histogram(LONGEST_MICROS, 3);
        Operation[] remembered = new Operation[REMEMBERED];
        int made = 0;
        long start = System.nanoTime();
        long now = start;
        while (now - start < time) {
            boolean retry = made > 0 && random.nextDouble() < workload.retries();
            Operation operation = retry
                    ? remembered[random.nextInt(Math.min(made, REMEMBERED))]
                    : new Operation(workload.counter(random), key(random));
            send(operation, increments);
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

    private static void send(Operation operation, Increments increments) {
        try {
            increments.increment(operation.counter, operation.key);
        } catch (DuplicateKeyException appliedBefore) {
            // a response like any other
        }
    }

    private static String key(ThreadLocalRandom random) {
        return new UUID((random.nextLong() & ~VERSION) | RANDOM, random.nextLong()).toString();
    }

    private record Operation(int counter, String key) {}

    @Override
    public void close() {
        executor.shutdownNow();
    }

    private record Share(Histogram micros, long nanos) {}
}
