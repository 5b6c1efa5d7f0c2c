package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.bench.guard.BenchDatabase.Costs;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
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
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
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

    private final BenchDatabase database;
    private final int threads;
    private final ExecutorService executor;
    private final Map<GuardContender, AtomicLongArray> done = new EnumMap<>(GuardContender.class);

    /** @param virtual whether the threads are virtual ones, which need Java 21 */
    Crowd(BenchDatabase database, int threads, boolean virtual, int counters) {
        this.database = database;
        this.threads = threads;
        ThreadFactory factory =
                virtual ? new VirtualThreadTaskExecutor().getVirtualThreadFactory() : Executors.defaultThreadFactory();
        executor = Executors.newFixedThreadPool(threads, factory);
        for (GuardContender contender : GuardContender.values()) {
            done.put(contender, new AtomicLongArray(counters));
        }
    }

    /** Which counters are added to, by how many clients, and how much of the traffic is retries. */
    interface Load {

        /** How many of the clients that there are take part. */
        int clients(int all);

        /** The counter of the next operation. */
        int counter(RandomGenerator random);

        /** Share of the requests that repeat one which was answered before. */
        double retries();
    }

    /** Lets a contender work for a while. What goes wrong stops the benchmark. */
    Turn run(Workload workload, GuardContender contender, Increments increments, Duration time)
            throws InterruptedException, ExecutionException, SQLException {
        return new Turn(workload.name(), "", contender, measure(workload, contender, List.of(increments), time));
    }

    /**
     * Lets a contender work for a while. What goes wrong stops the benchmark.
     *
     * @param nodes the contender's applications: each client is one's, in turn
     * @return requests per second, response times in microseconds, and per request: processor time of this process and of the
     *     servers, transactions that wrote something, bytes of the write-ahead log or of Redis's, bytes by which the tables or
     *     Redis's memory grew
     */
    Map<String, Double> measure(Load load, GuardContender contender, List<Increments> nodes, Duration time)
            throws InterruptedException, ExecutionException, SQLException {
        AtomicLongArray answered = Objects.requireNonNull(done.get(contender));
        int clients = load.clients(threads);
        CyclicBarrier start = new CyclicBarrier(clients);
        Costs before = database.costs(contender);
        double clientBefore = clientMicros();
        double serverBefore = serverMicros(contender);
        List<Future<Share>> shares = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            Increments increments = nodes.get(client % nodes.size());
            shares.add(executor.submit(() -> {
                start.await();
                return work(load, increments, answered, time.toNanos());
            }));
        }
        Histogram micros = new Histogram(LONGEST_MICROS, 3);
        double perSecond = 0;
        for (Future<Share> share : shares) {
            micros.add(share.get().micros);
            perSecond += share.get().micros.getTotalCount() / (share.get().nanos / 1e9);
        }
        double requests = micros.getTotalCount();
        double client = clientMicros() - clientBefore;
        double server = serverMicros(contender) - serverBefore;
        Costs after = database.costs(contender);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("perSecond", perSecond);
        figures.put("p50Micros", (double) micros.getValueAtPercentile(50));
        figures.put("p99Micros", (double) micros.getValueAtPercentile(99));
        figures.put("p999Micros", (double) micros.getValueAtPercentile(99.9));
        figures.put("clientMicros", client / requests);
        figures.put("serverMicros", server / requests);
        figures.put("transactions", (after.transactions() - before.transactions()) / requests);
        figures.put("walBytes", (after.walBytes() - before.walBytes()) / requests);
        figures.put("tableBytes", (after.tableBytes() - before.tableBytes()) / requests);
        return figures;
    }

    private double serverMicros(GuardContender contender) throws SQLException {
        return database.processorTime(contender).toNanos() / 1e3;
    }

    private static double clientMicros() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e3;
    }

    /** The key is made for those, too, who do not look at it. */
    private static Share work(Load load, Increments increments, AtomicLongArray answered, long time) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Histogram micros = new Histogram(LONGEST_MICROS, 3);
        Operation[] remembered = new Operation[REMEMBERED];
        int made = 0;
        long start = System.nanoTime();
        long now = start;
        while (now - start < time) {
            boolean retry = made > 0 && random.nextDouble() < load.retries();
            Operation operation = retry
                    ? remembered[random.nextInt(Math.min(made, REMEMBERED))]
                    : new Operation(load.counter(random), key(random));
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

    /**
     * Compares a contender's counters with the responses so far.
     *
     * @return {@code error}, by which all of them together are wrong, as a share: 0.05 means 5 % too much; and {@code wrongCounters}
     */
    Map<String, Double> accuracy(GuardContender contender) throws SQLException {
        AtomicLongArray answered = Objects.requireNonNull(done.get(contender));
        List<Long> expected = LongStream.range(0, answered.length())
                .map(counter -> answered.get((int) counter))
                .boxed()
                .toList();
        return accuracy(database.counters(contender), expected);
    }

    static Map<String, Double> accuracy(List<Long> values, List<Long> expected) {
        double wrong = 0;
        double sum = 0;
        double excess = 0;
        for (int counter = 0; counter < expected.size(); counter++) {
            long difference = values.get(counter) - expected.get(counter);
            wrong += difference == 0 ? 0 : 1;
            excess += difference;
            sum += expected.get(counter);
        }
        return Map.of("error", excess / sum, "wrongCounters", wrong);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
