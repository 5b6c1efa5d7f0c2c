package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.bench.guard.BenchDatabase.Costs;
import dev.fbf.loadtest.bench.guard.Services.Increments;
import dev.fbf.loadtest.harness.redis.RedisServer;
import java.sql.SQLException;
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
    private final RedisServers redis;
    private final int threads;
    private final ExecutorService executor;
    private final Map<GuardContender, AtomicLongArray> done = new EnumMap<>(GuardContender.class);

    /** @param virtual whether the threads are virtual ones, which need Java 21 */
    Crowd(BenchDatabase database, RedisServers redis, int threads, boolean virtual, int counters) {
        this.database = database;
        this.redis = redis;
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

    /**
     * What a contender did while it was its turn.
     *
     * @param p50Micros half of them took no longer, in microseconds
     * @param clientMicros processor time of this process for each request, in microseconds
     * @param serverMicros processor time of PostgreSQL's processes, and of Redis where it is asked, for each request
     * @param transactions that wrote something, for each request
     * @param walBytes of the write-ahead log, or of Redis's where it counts, for each request
     * @param tableBytes by which the tables, or Redis's memory, grew for each request
     */
    record Turn(
            Workload workload,
            GuardContender contender,
            double perSecond,
            double p50Micros,
            double p99Micros,
            double p999Micros,
            double clientMicros,
            double serverMicros,
            double transactions,
            double walBytes,
            double tableBytes) {

        private static Turn of(Workload workload, GuardContender contender, Measures measures) {
            return new Turn(
                    workload,
                    contender,
                    measures.perSecond,
                    measures.p50Micros,
                    measures.p99Micros,
                    measures.p999Micros,
                    measures.clientMicros,
                    measures.serverMicros,
                    measures.transactions,
                    measures.walBytes,
                    measures.tableBytes);
        }
    }

    /** The same of any load: see {@link Turn}. */
    record Measures(
            double perSecond,
            double p50Micros,
            double p99Micros,
            double p999Micros,
            double clientMicros,
            double serverMicros,
            double transactions,
            double walBytes,
            double tableBytes) {}

    /** Lets a contender work for a while. What goes wrong stops the benchmark. */
    Turn run(Workload workload, GuardContender contender, Increments increments, Duration time)
            throws InterruptedException, ExecutionException, SQLException {
        return Turn.of(workload, contender, measure(workload, contender, List.of(increments), time));
    }

    /**
     * Lets a contender work for a while. What goes wrong stops the benchmark.
     *
     * @param nodes the contender's applications: each client is one's, in turn
     */
    Measures measure(Load load, GuardContender contender, List<Increments> nodes, Duration time)
            throws InterruptedException, ExecutionException, SQLException {
        AtomicLongArray answered = Objects.requireNonNull(done.get(contender));
        int clients = load.clients(threads);
        CyclicBarrier start = new CyclicBarrier(clients);
        Costs before = costs(contender);
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
        Costs after = costs(contender);
        return new Measures(
                perSecond,
                micros.getValueAtPercentile(50),
                micros.getValueAtPercentile(99),
                micros.getValueAtPercentile(99.9),
                client / requests,
                server / requests,
                (after.transactions() - before.transactions()) / requests,
                (after.walBytes() - before.walBytes()) / requests,
                (after.tableBytes() - before.tableBytes()) / requests);
    }

    private double serverMicros(GuardContender contender) throws SQLException {
        Duration ofRedis = redis.of(contender).map(RedisServer::processorTime).orElse(Duration.ZERO);
        return database.processorTime().plus(ofRedis).toNanos() / 1e3;
    }

    private Costs costs(GuardContender contender) throws SQLException {
        if (!contender.countsInRedis()) {
            return database.costs(contender);
        }
        RedisServer server = redis.of(contender).orElseThrow();
        return new Costs(0, server.logBytes(), server.memoryBytes());
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
     * How far counters are from what was answered.
     *
     * @param error by how much all of them together are wrong, as a share: 0.05 means 5 % too much
     * @param wrongCounters how many are not what they must be
     */
    record Accuracy(double error, int wrongCounters) {

        static Accuracy of(List<Long> values, List<Long> expected) {
            int wrong = 0;
            for (int counter = 0; counter < expected.size(); counter++) {
                wrong += values.get(counter).equals(expected.get(counter)) ? 0 : 1;
            }
            double sum = sum(expected);
            return new Accuracy((sum(values) - sum) / sum, wrong);
        }

        private static double sum(List<Long> numbers) {
            return numbers.stream().mapToLong(Long::longValue).sum();
        }
    }

    /** Of a contender's counters so far. */
    Accuracy accuracy(GuardContender contender) throws SQLException {
        AtomicLongArray answered = Objects.requireNonNull(done.get(contender));
        List<Long> expected = LongStream.range(0, answered.length())
                .map(counter -> answered.get((int) counter))
                .boxed()
                .toList();
        List<Long> values = contender.countsInRedis()
                ? RedisServers.counters(redis.of(contender).orElseThrow(), answered.length())
                : database.counters(contender);
        return Accuracy.of(values, expected);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
