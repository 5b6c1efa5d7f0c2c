package dev.fbf.loadtest.torture.system;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.fbf.cassandra.LaneSchema;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.proxy.Link;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.loadtest.torture.client.Fleet;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.client.Operations;
import dev.fbf.loadtest.torture.lanes.LaneApplication;
import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Waiting;
import dev.fbf.process.cassandra.CassandraCluster;
import dev.fbf.process.cassandra.CassandraNode;
import dev.fbf.process.cassandra.Sessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Applications whose counters are on Cassandra.
 *
 * <pre>
 *   clients ── proxy ──┬── app 0 ──┬── proxies, one before each node ── Cassandra
 *                      └── app 1 ──┘
 * </pre>
 */
final class CassandraSystem implements SystemUnderTorture {

    private static final Duration STALL = Duration.ofMinutes(1);
    private static final int ROWS_IN_A_PAGE = 500;

    private final History history;
    private final Report report;
    private final CassandraCluster cluster;
    private final List<TcpProxy> proxies = new ArrayList<>();
    private final List<AppProcess> apps = new ArrayList<>();
    private final TcpProxy front;

    @SuppressWarnings("MustBeClosedChecker") // closed with the system
    CassandraSystem(Settings settings, History history, Report report) throws IOException, InterruptedException {
        this.history = history;
        this.report = report;
        Path directory = settings.directory().resolve("lanes");
        Directories.delete(directory);
        Files.createDirectories(directory);
        cluster = startCassandra(settings, directory);
        try {
            startApps(settings, directory);
            front = TcpProxy.open("front", apps.stream().map(AppProcess::port).toList(), () -> Relay.PLAIN);
        } catch (Throwable e) {
            apps.forEach(AppProcess::close);
            cluster.close();
            throw e;
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

    private void startApps(Settings settings, Path directory) throws IOException, InterruptedException {
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
        List<String> jvm = TortureAgent.options(directory, settings.text("broken"));
        for (int i = 0; i < settings.atLeastOne("nodes"); i++) {
            Path log = directory.resolve("app-" + i + ".log");
            AppProcess app = new AppProcess(LaneApplication.class, FixedPorts.free(), log, jvm, arguments);
            apps.add(app);
            app.start();
        }
    }

    @Override
    public int port() {
        return front.port();
    }

    @Override
    public void happen(Schedule.Event event, Fleet fleet) throws IOException, InterruptedException {
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

    @Override
    public void heal() {
        proxies.forEach(TcpProxy::heal);
        history.note("everything is healed");
    }

    /** The value of a counter is the number of its operations that were applied. It is read by a quorum, as soon as there is one. */
    @Override
    public void read(Verdict verdict) throws InterruptedException {
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
                        return true;
                    } catch (DriverException e) {
                        return false;
                    }
                },
                STALL);
        if (!isRead) {
            throw new IllegalStateException("the table cannot be read within " + STALL);
        }
        rows.forEach(row -> judge(verdict, row.getString("name"), row.getLong("value")));
        verdict.conclude();
        proxies.forEach(proxy -> report.add("responses", "lost", proxy.responsesLost()));
    }

    private static void judge(Verdict verdict, String counter, long value) {
        if (counter.startsWith("op-") || Operations.isShared(counter)) {
            for (long i = 0; i < value; i++) {
                verdict.applied(counter.substring(counter.indexOf('-') + 1), counter);
            }
            verdict.value(counter, value);
        }
    }

    @Override
    public Map<String, String> servers() {
        return Map.of("Cassandra", "Cassandra 5");
    }

    @Override
    public void close() throws IOException {
        front.close();
        for (TcpProxy proxy : proxies) {
            proxy.close();
        }
        apps.forEach(AppProcess::close);
        cluster.close();
    }
}
