package dev.fbf.loadtest.bench.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneSchema;
import dev.fbf.cassandra.LaneSettings;
import dev.fbf.core.OperationId;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.bench.Turn;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.cassandra.CassandraCluster;
import dev.fbf.loadtest.harness.process.Directories;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.DoubleSummaryStatistics;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Measures exact counters on a real Cassandra cluster beside Cassandra's own counter column, in turns. Fails if an exact counter is not
 * what its clients were told.
 */
public final class CassandraBench implements Run {

    private static final String KEYSPACE = "bench";
    private static final String SCOPE = "bench";
    private static final int GROUP = 16;
    private static final int REBUILD_CLIENTS = 256;
    private static final int WARM_UP_CLIENTS = 64;
    private static final Duration START = Duration.ofMinutes(1);
    private static final FilterPlan PLAN = new FilterSizing(10_000, Duration.ofMinutes(10), 1e-9).plan();

    /** Clients that come again as soon as they are answered, to counters at random. */
    record Workload(int clients, int counters) {

        @Override
        public String toString() {
            return clients
                    + (clients == 1 ? " client, " : " clients, ")
                    + counters
                    + (counters == 1 ? " counter" : " counters");
        }
    }

    private final Map<Contender, AtomicLong> done = new EnumMap<>(Contender.class);

    @Override
    public Findings run(Settings settings) throws Exception {
        if (CassandraCluster.jdk().isEmpty()) {
            System.out.println("  Cassandra 5 needs a JDK 17, and there is none: nothing is measured.");
            return Findings.NONE;
        }
        Path directory = settings.directory().resolve("cassandra");
        Directories.delete(directory);
        try (CassandraCluster cluster =
                CassandraCluster.start(directory, settings.atLeastOne("nodes"), List.of(), List.of())) {
            return run(settings, cluster);
        } finally {
            Directories.delete(directory);
        }
    }

    private Findings run(Settings settings, CassandraCluster cluster) throws Exception {
        try (CqlSession session = cluster.createKeyspace(KEYSPACE)) {
            LaneSchema.create(session);
            String version = Objects.requireNonNull(session.execute("SELECT release_version FROM system.local")
                            .one())
                    .getString(0);
            List<Turn> turns = new ArrayList<>();
            List<String> failures = new ArrayList<>();
            contest(settings, session, turns, failures);
            double rebuildSeconds = rebuild(session, settings.atLeastOne("rebuild-operations"), failures);
            double bytes = bytes(session, cluster, settings.count("byte-operations"));
            CassandraReport report =
                    CassandraReport.of(turns, settings.atLeastOne("rebuild-operations"), rebuildSeconds, bytes);
            return new Findings(
                    report, report.table(), report.targets(), failures, Map.of("Cassandra", "Cassandra " + version));
        }
    }

    private void contest(Settings settings, CqlSession session, List<Turn> turns, List<String> failures)
            throws Exception {
        int most =
                (int) settings.list("sharing").mapToLong(Long::parseLong).max().orElse(1);
        List<LaneCounters> nodes = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            nodes.add(open(session, SCOPE));
        }
        Map<Contender, Increments> increments = new EnumMap<>(Contender.class);
        for (Contender contender : Contender.values()) {
            if (contender.nodes() <= most) {
                increments.put(
                        contender,
                        switch (contender) {
                            case COLUMN -> Increments.column(session);
                            case CONDITIONAL -> Increments.conditional(session);
                            default -> Increments.lanes(nodes.subList(0, contender.nodes()));
                        });
                done.put(contender, new AtomicLong());
            }
        }
        Duration time = settings.millis("millis");
        for (int warmUp = 0; warmUp < 2; warmUp++) {
            for (Map.Entry<Contender, Increments> each : increments.entrySet()) {
                int clients = each.getKey() == Contender.CONDITIONAL ? 1 : WARM_UP_CLIENTS;
                turn(new Workload(clients, 1), each.getKey(), each.getValue(), settings.millis("warm-up-millis"));
            }
        }
        for (Workload workload : workloads(settings)) {
            List<Contender> contenders = increments.keySet().stream()
                    .filter(contender -> takesPart(contender, workload))
                    .toList();
            for (Contender contender : Rounds.of(settings.atLeastOne("rounds"), contenders)) {
                Turn turn = turn(workload, contender, Objects.requireNonNull(increments.get(contender)), time);
                System.out.println(turn);
                turns.add(turn);
            }
        }
        check(nodes.get(0), failures);
        nodes.forEach(LaneCounters::close);
    }

    private static List<Workload> workloads(Settings settings) {
        List<Workload> workloads = new ArrayList<>(List.of(new Workload(1, 1)));
        settings.list("counters")
                .map(Integer::valueOf)
                .forEach(counters -> settings.list("clients")
                        .map(Integer::valueOf)
                        .forEach(clients -> workloads.add(new Workload(clients, counters))));
        return workloads;
    }

    /** Nodes that share a lane are compared on a hot counter; a conditional update is for one client. */
    private static boolean takesPart(Contender contender, Workload workload) {
        return switch (contender) {
            case COLUMN, LANE -> true;
            case CONDITIONAL -> workload.clients == 1;
            case LANE_OF_TWO, LANE_OF_THREE -> workload.clients > GROUP / 8 && workload.counters == 1;
        };
    }

    private Turn turn(Workload workload, Contender contender, Increments increments, Duration time) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(workload.clients);
        try {
            List<Callable<Histogram>> clients = new ArrayList<>();
            for (int i = 0; i < workload.clients; i++) {
                int client = i;
                clients.add(() -> work(workload, client, increments, time));
            }
            long begin = System.nanoTime();
            List<Future<Histogram>> results = threads.invokeAll(clients);
            double seconds = (System.nanoTime() - begin) / 1e9;
            int nodes = Math.max(1, contender.nodes());
            Histogram all = new Histogram(3);
            List<Histogram> ofNodes =
                    Stream.generate(() -> new Histogram(3)).limit(nodes).toList();
            for (int client = 0; client < results.size(); client++) {
                Histogram micros = results.get(client).get();
                all.add(micros);
                ofNodes.get(client % nodes).add(micros);
            }
            Objects.requireNonNull(done.get(contender)).addAndGet(all.getTotalCount());
            DoubleSummaryStatistics p99 = ofNodes.stream()
                    .mapToDouble(micros -> micros.getValueAtPercentile(99))
                    .summaryStatistics();
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("clients", (double) workload.clients);
            figures.put("counters", (double) workload.counters);
            figures.put("perSecond", all.getTotalCount() / seconds);
            figures.put("p50Millis", all.getValueAtPercentile(50) / 1e3);
            figures.put("p99Millis", all.getValueAtPercentile(99) / 1e3);
            figures.put("unfairness", p99.getMax() / p99.getMin());
            return new Turn("", workload.toString(), contender, figures);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Histogram work(Workload workload, int client, Increments increments, Duration time) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Histogram micros = new Histogram(3);
        long start = System.nanoTime();
        for (long now = start; now - start < time.toNanos(); ) {
            increments.increment(client, "counter " + random.nextInt(workload.counters));
            long end = System.nanoTime();
            micros.recordValue(TimeUnit.NANOSECONDS.toMicros(end - now));
            now = end;
        }
        return micros;
    }

    private void check(LaneCounters node, List<String> failures) {
        long answered = done.entrySet().stream()
                .filter(each -> each.getKey().nodes() > 0)
                .mapToLong(each -> each.getValue().get())
                .sum();
        List<String> names =
                IntStream.range(0, 1_000).mapToObj(i -> "counter " + i).toList();
        long counted =
                node.values(names).values().stream().mapToLong(Long::longValue).sum();
        if (counted != answered) {
            failures.add("the lane's counters have " + counted + ", and clients were told of " + answered);
        }
    }

    /** How long a new node takes until it knows the operations of the window. */
    private static double rebuild(CqlSession session, int operations, List<String> failures) throws Exception {
        String scope = SCOPE + "-rebuild";
        List<OperationId> applied = fill(session, scope, REBUILD_CLIENTS, operations);
        List<Double> seconds = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            long begin = System.nanoTime();
            LaneCounters node = open(session, scope);
            seconds.add((System.nanoTime() - begin) / 1e9);
            long lost = applied.stream()
                    .filter(operation -> !node.filter().mightContain(operation))
                    .count();
            if (lost > 0) {
                failures.add("a new node does not know " + lost + " of " + operations + " operations");
            }
            node.close();
        }
        return Rounds.median(seconds);
    }

    /** What the files of a node keep of an operation, once they are written; 0 if that is left out. */
    private static double bytes(CqlSession session, CassandraCluster cluster, int operations) throws Exception {
        if (operations == 0) {
            return 0;
        }
        session.execute("TRUNCATE fbf_lane");
        fill(session, SCOPE + "-bytes", GROUP, operations);
        cluster.nodes().get(0).stop();
        return (double) cluster.nodes().get(0).bytes(KEYSPACE, "fbf_lane") / operations;
    }

    /** Applies operations; returns them. */
    private static List<OperationId> fill(CqlSession session, String scope, int clients, int operations)
            throws Exception {
        LaneCounters node = open(session, scope);
        List<OperationId> applied = new ArrayList<>();
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            Callable<OperationId> increment = () -> Increments.increment(node, "counter");
            for (Future<OperationId> operation : threads.invokeAll(Collections.nCopies(operations, increment))) {
                applied.add(operation.get());
            }
        } finally {
            threads.shutdownNow();
            node.close();
        }
        return applied;
    }

    private static LaneCounters open(CqlSession session, String scope) throws InterruptedException {
        LaneCounters node = new LaneCounters(session, new LaneSettings(scope, PLAN));
        long deadline = System.nanoTime() + START.toNanos();
        while (node.isRecovering()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the window is not read within " + START, node.failure());
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return node;
    }
}
