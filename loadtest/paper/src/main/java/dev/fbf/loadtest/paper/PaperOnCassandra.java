package dev.fbf.loadtest.paper;

import static dev.fbf.loadtest.harness.Table.format;

import com.datastax.oss.driver.api.core.CqlSession;
import dev.fbf.cassandra.Consistency;
import dev.fbf.cassandra.LaneCounters;
import dev.fbf.cassandra.LaneSchema;
import dev.fbf.cassandra.LaneSettings;
import dev.fbf.core.plan.FilterPlan;
import dev.fbf.core.plan.FilterSizing;
import dev.fbf.loadtest.harness.Rounds;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Table;
import dev.fbf.loadtest.harness.pages.Plot;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.process.Directories;
import dev.fbf.process.cassandra.CassandraCluster;
import dev.fbf.process.cassandra.CassandraNode;
import dev.fbf.process.cassandra.Sessions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The paper's figures 14, 15 and 17 on a real Cassandra: its own counter column beside fbf's. Fails if a counter of fbf's is not exact.
 */
public final class PaperOnCassandra implements Run {

    private static final String KEYSPACE = "paper";
    private static final int NODES = 3;
    private static final int BATCH = 50;
    private static final Duration TIMEOUT = Duration.ofMillis(800);
    private static final Duration START = Duration.ofSeconds(30);
    private static final FilterPlan PLAN = new FilterSizing(1_000, Duration.ofMinutes(10), 1e-9).plan();

    private final List<String> failures = new ArrayList<>();
    private final List<LaneCounters> opened = new ArrayList<>();

    /** The values of both counters at a time, and how many operations each of them is to have counted by then. */
    record Sample(double seconds, int expected, long exact, int expectedOfColumn, long column) {}

    /** How long a batch took, in milliseconds: the medians of both counters. */
    record Latency(double exact, double column) {}

    /**
     * A cell of figure 17.
     *
     * @param exact the value of fbf's counter
     * @param column the value of Cassandra's own
     * @param retries of Cassandra's own counter, each of which may have counted twice
     */
    record Cell(double loss, long delayMillis, int operations, long exact, long column, int retries) {

        double error() {
            return (double) (exact - operations) / operations;
        }

        double errorOfColumn() {
            return (double) (column - operations) / operations;
        }
    }

    /** What was found. */
    record Figures(List<Sample> figure14, Latency figure15, List<Cell> figure17) {}

    @Override
    public Findings run(Settings settings) throws Exception {
        if (CassandraCluster.jdk().isEmpty()) {
            System.out.println("  Cassandra 5 needs a JDK 17, and there is none: nothing is measured.");
            return Findings.NONE;
        }
        Path directory = settings.directory().resolve("paper-cassandra");
        Directories.delete(directory);
        try (CassandraCluster cluster = CassandraCluster.start(directory, NODES, List.of(), List.of());
                CqlSession session = cluster.createKeyspace(KEYSPACE)) {
            session.execute("CREATE TABLE own (name text PRIMARY KEY, value counter)");
            LaneSchema.create(session);
            Latency latency = latency(settings, session);
            List<Cell> cells = lossAndDelay(settings, cluster);
            Figures figures = new Figures(valueOverTime(settings, cluster), latency, cells);
            opened.forEach(LaneCounters::close);
            List<Claim> claims = write(figures, settings);
            return new Findings(
                    figures,
                    Claim.table("the paper on Cassandra", claims) + "\n" + cells(figures),
                    List.of(),
                    failures,
                    Map.of("Cassandra", "Cassandra 5"));
        } finally {
            Directories.delete(directory);
        }
    }

    /** Figure 14: values over time; some operations are sent again, and a node is down in the second third. */
    private List<Sample> valueOverTime(Settings settings, CassandraCluster cluster) throws Exception {
        int seconds = settings.atLeastOne("seconds");
        double rate = settings.positive("rate");
        int operations = (int) (seconds * rate);
        Map<InetSocketAddress, Integer> none = Map.of(
                cluster.nodes().get(0).address(),
                cluster.nodes().get(0).address().getPort());
        try (CqlSession session = Sessions.through(none, KEYSPACE, TIMEOUT)) {
            CassandraCounter exact = new CassandraCounter.Exact(open(session, "figure-14"), "counter");
            CassandraCounter column = CassandraCounter.Column.of(session, "figure 14");
            SteadyClient ofExact = new SteadyClient(exact, "figure 14");
            SteadyClient ofColumn = new SteadyClient(column, "figure 14");
            long begin = System.nanoTime();
            ofExact.start(operations, rate, settings.share("retries"), settings.integer("seed"));
            ofColumn.start(operations, rate, settings.share("retries"), settings.integer("seed"));
            CassandraNode victim = cluster.nodes().get(NODES - 1);
            List<Sample> samples = new ArrayList<>();
            for (int second = 1; second <= seconds; second++) {
                TimeUnit.NANOSECONDS.sleep(begin + second * 1_000_000_000L - System.nanoTime());
                if (second == seconds / 3) {
                    victim.kill();
                } else if (second == 2 * seconds / 3) {
                    victim.begin();
                }
                samples.add(sample(begin, ofExact, exact, ofColumn, column));
            }
            ofExact.finish();
            ofColumn.finish();
            Sample last = sample(begin, ofExact, exact, ofColumn, column);
            samples.add(last);
            require("figure 14", last.exact, operations);
            return samples;
        }
    }

    private static Sample sample(
            long begin, SteadyClient ofExact, CassandraCounter exact, SteadyClient ofColumn, CassandraCounter column) {
        return new Sample(
                (System.nanoTime() - begin) / 1e9, ofExact.known(), value(exact), ofColumn.known(), value(column));
    }

    /** A read that fails is repeated. */
    private static long value(CassandraCounter counter) {
        for (int tries = 0; ; tries++) {
            try {
                return counter.value();
            } catch (RuntimeException e) {
                if (tries == NODES) {
                    throw e;
                }
            }
        }
    }

    /** Figure 15: how long batches of 50 take, of both counters in turn. */
    private Latency latency(Settings settings, CqlSession session) throws Exception {
        CassandraCounter exact = new CassandraCounter.Exact(open(session, "figure-15"), "counter");
        CassandraCounter column = CassandraCounter.Column.of(session, "figure 15");
        ExecutorService threads = Executors.newFixedThreadPool(BATCH);
        try {
            List<Double> ofExact = new ArrayList<>();
            List<Double> ofColumn = new ArrayList<>();
            int batches = settings.atLeastOne("batches");
            for (int batch = 0; batch < 2 * batches; batch++) {
                double exactMillis = batch(threads, exact, "batch " + batch);
                double columnMillis = batch(threads, column, "batch " + batch);
                if (batch >= batches) { // the first half warms up
                    ofExact.add(exactMillis);
                    ofColumn.add(columnMillis);
                }
            }
            require("figure 15", exact.value(), 2L * batches * BATCH);
            return new Latency(Rounds.median(ofExact), Rounds.median(ofColumn));
        } finally {
            threads.shutdownNow();
        }
    }

    private static double batch(ExecutorService threads, CassandraCounter counter, String name) throws Exception {
        List<Callable<Boolean>> sends = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            String operation = name + ", " + i;
            sends.add(() -> counter.send(operation));
        }
        long begin = System.nanoTime();
        for (Future<Boolean> sent : threads.invokeAll(sends)) {
            if (!sent.get()) {
                throw new IllegalStateException("an operation has failed in a good network");
            }
        }
        return (System.nanoTime() - begin) / 1e6;
    }

    /** Figure 17: errors by the loss and the delay between the driver and the nodes. */
    private List<Cell> lossAndDelay(Settings settings, CassandraCluster cluster) throws Exception {
        SplittableRandom seeds = new SplittableRandom(settings.integer("seed"));
        List<Cell> cells = new ArrayList<>();
        for (double loss : settings.shares("loss")) {
            for (Duration delay : settings.millisOfEach("delay-millis")) {
                cells.add(cell(settings, cluster, loss, delay, seeds.split()));
                System.out.println(cells.get(cells.size() - 1));
            }
        }
        return cells;
    }

    private Cell cell(Settings settings, CassandraCluster cluster, double loss, Duration delay, SplittableRandom seeds)
            throws Exception {
        String name = format("loss-%.3f-delay-%d", loss, delay.toMillis());
        List<TcpProxy> proxies = new ArrayList<>();
        Map<InetSocketAddress, Integer> ports = new HashMap<>();
        for (CassandraNode node : cluster.nodes()) {
            TcpProxy proxy = TcpProxy.openTo("cassandra", List.of(node.address()), () -> Relay.PLAIN);
            proxies.add(proxy);
            ports.put(node.address(), proxy.port());
        }
        try (CqlSession session = Sessions.through(ports, KEYSPACE, TIMEOUT)) {
            CassandraCounter exact = new CassandraCounter.Exact(open(session, name), "counter");
            CassandraCounter column = CassandraCounter.Column.of(session, name);
            for (TcpProxy proxy : proxies) {
                proxy.loseResponses(loss, seeds.nextLong());
                proxy.delayEachChunkAtRandom(delay, seeds.nextLong());
            }
            int operations = settings.atLeastOne("operations");
            SteadyClient ofExact = new SteadyClient(exact, name);
            SteadyClient ofColumn = new SteadyClient(column, name);
            ofExact.start(operations, settings.positive("rate"), 0, seeds.nextLong());
            ofExact.finish();
            ofColumn.start(operations, settings.positive("rate"), 0, seeds.nextLong());
            ofColumn.finish();
            proxies.forEach(TcpProxy::heal);
            Cell cell = new Cell(
                    loss, delay.toMillis(), operations, value(exact), value(column), ofColumn.requests() - operations);
            require("figure 17, " + name, cell.exact, operations);
            return cell;
        } finally {
            for (TcpProxy proxy : proxies) {
                proxy.close();
            }
        }
    }

    private LaneCounters open(CqlSession session, String scope) throws InterruptedException {
        LaneCounters counters = new LaneCounters(
                session, new LaneSettings(scope, 1, PLAN, Consistency.QUORUM, TIMEOUT, Duration.ofSeconds(3), 10_000));
        opened.add(counters);
        long deadline = System.nanoTime() + START.toNanos();
        while (counters.isRecovering() && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return counters;
    }

    private void require(String what, long value, long expected) {
        if (value != expected) {
            failures.add(what + ": fbf's counter has " + value + ", and " + expected + " operations were applied");
        }
    }

    private static Table<Cell> cells(Figures figures) {
        return Table.of(figures.figure17)
                .number("responses lost", "%.0f %%", cell -> 100 * cell.loss)
                .number("delay of a chunk, ms", "%d", Cell::delayMillis)
                .number("operations", "%d", Cell::operations)
                .number("retries", "%d", Cell::retries)
                .number("error of Cassandra's counter", "%+.1f %%", cell -> 100 * cell.errorOfColumn())
                .number("error of fbf's counter", "%.1f %%", cell -> 100 * cell.error());
    }

    private static List<Claim> write(Figures figures, Settings settings) throws IOException {
        Page page = new Page(settings, "cassandra.md");
        Table<Sample> samples = Table.of(figures.figure14)
                .number("seconds", "%.1f", Sample::seconds)
                .number("expected", "%d", Sample::expected)
                .number("exact", "%d", Sample::exact)
                .number("expected of column", "%d", Sample::expectedOfColumn)
                .number("column", "%d", Sample::column);
        List<Plot.Line> lines = List.of(
                line("expected", figures, Sample::expected, true),
                line("fbf", figures, Sample::exact, false),
                line("Cassandra's own", figures, Sample::column, false));
        page.plot(
                "figure-14",
                new Plot("Value of a counter over time", "seconds", false, "value", false, lines),
                samples.csv());
        page.write("figure-17.csv", cells(figures).csv());
        return page.write(figures);
    }

    private static Plot.Line line(String name, Figures figures, ToDoubleFunction<Sample> value, boolean dashed) {
        return new Plot.Line(
                name,
                figures.figure14.stream().map(Sample::seconds).toList(),
                figures.figure14.stream().map(value::applyAsDouble).toList(),
                dashed);
    }
}
