package dev.fbf.loadtest.torture.system;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.fbf.cassandra.LaneReader;
import dev.fbf.cassandra.LaneSchema;
import dev.fbf.loadtest.harness.Run;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.Target;
import dev.fbf.loadtest.harness.cassandra.CassandraCluster;
import dev.fbf.loadtest.harness.cassandra.CassandraNode;
import dev.fbf.loadtest.harness.cassandra.Sessions;
import dev.fbf.loadtest.harness.process.Directories;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.Fleet.Traffic;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.lanes.LaneApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Tortures counters on Cassandra. Fails if an operation was lost or doubled, or too few were acknowledged.
 *
 * <pre>
 *   clients ── proxy ──┬── app 0 ──┬── proxies, one before each node ── Cassandra
 *                      └── app 1 ──┘
 * </pre>
 */
public final class LaneTorture implements Run {

    private static final Set<Fault.Lane> LANES =
            EnumSet.of(Fault.Lane.APP, Fault.Lane.CASSANDRA, Fault.Lane.CASSANDRA_NETWORK);

    /** Of the application's own lane, all but a kill need PostgreSQL or an agent. */
    private static final List<Fault> OF_POSTGRES =
            List.of(Fault.KILL_APP_IN_COMMIT, Fault.KILL_AT_STEP, Fault.KILL_APP_ON_FULL_DISK, Fault.KILL_APP_IN_GROUP);

    /** Each operation adds to a counter that is its own, or to one of a few that are shared: none to a page. */
    private static final double NO_PAGES = 1 - 1e-12;

    private static final Duration RESPONSE = Duration.ofSeconds(6);
    private static final Duration STALL = Duration.ofMinutes(1);
    private static final int ROWS_IN_A_PAGE = 500;

    private final Report report = new Report();
    private final History history = new History();
    private final List<TcpProxy> proxies = new ArrayList<>();
    private final List<AppProcess> apps = new ArrayList<>();

    @Override
    public Findings run(Settings settings) throws Exception {
        if (CassandraCluster.jdk().isEmpty()) {
            System.out.println("  Cassandra 5 needs a JDK 17, and there is none: nothing is tortured.");
            return Findings.NONE;
        }
        Operations operations = new Operations(settings.integer("seed"), 1, NO_PAGES);
        Duration window = settings.seconds("window-seconds");
        Traffic traffic = new Traffic(settings.atLeastOne("clients"), settings.positive("rate"), RESPONSE, window);
        Schedule schedule = new Schedule(
                operations.seed(), Schedule.counts(settings, LANES), settings.seconds("seconds"), OF_POSTGRES);
        long wanted = settings.integer("operations");
        Path directory = settings.directory().resolve("lanes");
        Directories.delete(directory);
        Files.createDirectories(directory);
        try (CassandraCluster cluster = startCassandra(settings, directory)) {
            startApps(settings, cluster, directory);
            TcpProxy front =
                    TcpProxy.open("front", apps.stream().map(AppProcess::port).toList(), () -> Relay.PLAIN);
            Fleet fleet = Fleet.start(traffic, operations, history, front.port());
            schedule.run(history, event -> happen(event, cluster));
            proxies.forEach(TcpProxy::heal);
            history.note("everything is healed");
            for (int i = 0; i < settings.count("replacements"); i++) {
                // the first is a seed: it would get nothing
                replace(cluster, 1 + i % (cluster.nodes().size() - 1));
            }
            fleet.awaitAcknowledged(wanted);
            fleet.finish(window);
            Verdict verdict = new Verdict(operations, history);
            readAll(cluster).forEach(row -> judge(verdict, row.getString("name"), row.getLong("value")));
            verdict.conclude();
            System.out.print(verdict.explanation());
            Target acknowledged =
                    Target.atLeast("operations acknowledged", (double) wanted, (double) fleet.acknowledged());
            report.failIf(!acknowledged.met(), wanted + " operations were to be acknowledged");
            proxies.forEach(proxy -> report.add("responses", "lost", proxy.responsesLost()));
            return report.conclude(history, fleet, verdict, List.of(acknowledged), Map.of("Cassandra", "Cassandra 5"));
        } finally {
            apps.forEach(AppProcess::close);
        }
    }

    private static CassandraCluster startCassandra(Settings settings, Path directory)
            throws IOException, InterruptedException {
        return CassandraCluster.start(
                directory.resolve("cassandra"),
                settings.atLeastOne("cassandra-nodes"),
                List.of(
                        "write_request_timeout: 1s",
                        "cas_contention_timeout: 500ms",
                        "read_request_timeout: 1s",
                        // or messages of a node whose clock is behind are late before they are sent
                        "internode_timeout: false",
                        "paxos_variant: " + settings.text("paxos")),
                List.of("-XX:TieredStopAtLevel=1"),
                settings.millis("clocks-apart-millis"));
    }

    private void startApps(Settings settings, CassandraCluster cluster, Path directory)
            throws IOException, InterruptedException {
        try (CqlSession session = cluster.createKeyspace(LaneApplication.KEYSPACE)) {
            LaneSchema.create(session);
        }
        List<String> nodes = new ArrayList<>();
        for (CassandraNode node : cluster.nodes()) {
            TcpProxy proxy = TcpProxy.openTo("cassandra", List.of(node.address()), () -> Relay.PLAIN);
            proxies.add(proxy);
            nodes.add(node.address().getHostString() + ":" + node.address().getPort() + "=" + proxy.port());
        }
        List<String> arguments = List.of(
                "--fbf.retry-window=" + settings.seconds("window-seconds"),
                "--fbf.expected-operations-per-second=" + settings.positive("rate"),
                "--fbf.cassandra.request-timeout=" + LaneApplication.REQUEST_TIMEOUT,
                "--fbf.counters.timeout=2s",
                "--torture.nodes=" + String.join(",", nodes));
        List<String> jvm = TortureAgent.breaking(directory, settings.text("broken"));
        for (int i = 0; i < settings.atLeastOne("app-nodes"); i++) {
            Path log = directory.resolve("app-" + i + ".log");
            AppProcess app = AppProcess.of(LaneApplication.class, FixedPorts.free(), log, jvm, arguments)
                    .asking("/counters/probes/increments");
            apps.add(app);
            app.start();
        }
    }

    private void happen(Schedule.Event event, CassandraCluster cluster) throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(event.seed());
        List<CassandraNode> nodes = cluster.nodes();
        int number = random.nextInt(nodes.size());
        CassandraNode node = nodes.get(number);
        TcpProxy proxy = proxies.get(random.nextInt(nodes.size()));
        report.count(Report.FAULTS, event.fault());
        history.note(event.fault() + ": node " + number);
        switch (event.fault()) {
            case KILL_APP -> {
                AppProcess app = apps.get(random.nextInt(apps.size()));
                app.kill();
                app.start();
            }
            case KILL_CASSANDRA -> {
                node.kill();
                node.start();
            }
            case FREEZE_CASSANDRA -> freeze(random, List.of(node));
            case FREEZE_QUORUM -> freeze(random, List.of(node, nodes.get((number + 1) % nodes.size())));
            case CUT_CASSANDRA_LINKS -> proxy.cutAll();
            case LOSE_CASSANDRA_RESPONSES -> proxy.loseNextResponses(1 + random.nextInt(3));
            case CUT_CASSANDRA_LINK -> proxy.links().stream().findAny().ifPresent(Link::cut);
            default -> throw new IllegalArgumentException("fault=" + event.fault());
        }
    }

    private static void freeze(SplittableRandom random, List<CassandraNode> nodes)
            throws IOException, InterruptedException {
        for (CassandraNode node : nodes) {
            node.freeze();
        }
        Waiting.sleep(Duration.ofMillis(random.nextInt(300, 4_300)));
        for (CassandraNode node : nodes) {
            node.thaw();
        }
    }

    /**
     * A node loses all that it has stored, and is replaced. A new node gets its data from one of the others, which may lack what
     * only the lost one and a third had: so the others are made equal before, as an operator does by a repair; here, by reading all.
     */
    private void replace(CassandraCluster cluster, int number) throws IOException, InterruptedException {
        CassandraNode node = cluster.nodes().get(number);
        history.note("node " + number + " loses its data");
        node.kill();
        readAll(cluster);
        node.replace();
        history.note("node " + number + " is replaced");
    }

    /**
     * Reads the counters and the groups of the window by a quorum, and so makes the replicas that respond equal; tries as long as they take
     * each other for dead.
     *
     * @return the counters' shares
     */
    private static List<Row> readAll(CassandraCluster cluster) throws InterruptedException {
        SimpleStatement shares = SimpleStatement.newInstance(
                        "SELECT name, value FROM fbf_lane WHERE scope = ? AND lane = 0 AND kind = 0",
                        LaneApplication.SCOPE)
                .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                .setPageSize(ROWS_IN_A_PAGE);
        List<Row> rows = new ArrayList<>();
        boolean isRead = Waiting.until(
                () -> {
                    rows.clear();
                    try (CqlSession session =
                            Sessions.direct(cluster.nodes().get(0).address(), LaneApplication.KEYSPACE)) {
                        session.execute(shares).forEach(rows::add);
                        LaneReader.readWindow(session, LaneApplication.SCOPE, 0);
                        return true;
                    } catch (DriverException e) {
                        return false;
                    }
                },
                STALL);
        if (!isRead) {
            throw new IllegalStateException("the table cannot be read within " + STALL);
        }
        return rows;
    }

    /** The value of a counter is the number of its operations that were applied. */
    private static void judge(Verdict verdict, String counter, long value) {
        if (counter.startsWith("op-") || Operations.isShared(counter)) {
            for (long i = 0; i < value; i++) {
                verdict.applied(counter.substring(counter.indexOf('-') + 1), counter);
            }
            verdict.value(counter, value);
        }
    }
}
