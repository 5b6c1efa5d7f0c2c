package dev.fbf.loadtest.torture.system;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import dev.fbf.cassandra.LaneReader;
import dev.fbf.cassandra.LaneSchema;
import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.cassandra.CassandraCluster;
import dev.fbf.loadtest.harness.cassandra.CassandraNode;
import dev.fbf.loadtest.harness.cassandra.Sessions;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.lanes.LaneApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that runs for counters on Cassandra.
 *
 * <pre>
 *   clients ── proxy ──┬── app 0 ──┬── proxies, one before each node ── Cassandra
 *                      └── app 1 ──┘
 * </pre>
 */
final class LaneSystem implements AutoCloseable {

    private static final int ROWS_IN_A_PAGE = 500;
    private static final Duration STALL = Duration.ofMinutes(1);

    final History history = new History();
    final CassandraCluster cluster;
    final List<TcpProxy> proxies = new ArrayList<>();
    final List<AppProcess> apps = new ArrayList<>();
    final TcpProxy front;

    private LaneSystem(Settings settings, CassandraCluster cluster, Path directory)
            throws IOException, InterruptedException {
        this.cluster = cluster;
        try (CqlSession session = session(null)) {
            session.execute("CREATE KEYSPACE " + LaneApplication.KEYSPACE
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': "
                    + cluster.nodes().size() + "}");
            session.execute("USE " + LaneApplication.KEYSPACE);
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
        front = TcpProxy.open("front", apps.stream().map(AppProcess::port).toList(), () -> Relay.PLAIN);
    }

    static LaneSystem start(Settings settings) throws IOException, InterruptedException {
        Path directory = settings.directory().resolve("lanes");
        Directories.delete(directory);
        Files.createDirectories(directory);
        CassandraCluster cluster = CassandraCluster.start(
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
        try {
            return new LaneSystem(settings, cluster, directory);
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private CqlSession session(@Nullable String keyspace) {
        return Sessions.direct(cluster.nodes().get(0).address(), keyspace);
    }

    /**
     * Reads the counters and the groups of the window by a quorum, and so makes the replicas that respond equal; tries as long as they take
     * each other for dead.
     *
     * @return the counters' shares
     */
    List<Row> readAll() throws InterruptedException {
        SimpleStatement shares = SimpleStatement.newInstance(
                        "SELECT name, value FROM fbf_lane WHERE scope = ? AND lane = 0 AND kind = 0",
                        LaneApplication.SCOPE)
                .setConsistencyLevel(DefaultConsistencyLevel.QUORUM)
                .setPageSize(ROWS_IN_A_PAGE);
        List<Row> rows = new ArrayList<>();
        List<DriverException> failures = new ArrayList<>();
        boolean isRead = Waiting.until(
                () -> {
                    rows.clear();
                    try (CqlSession session = session(LaneApplication.KEYSPACE)) {
                        session.execute(shares).forEach(rows::add);
                        LaneReader.readWindow(session, LaneApplication.SCOPE, 0);
                        return true;
                    } catch (DriverException e) {
                        failures.add(e);
                        return false;
                    }
                },
                STALL);
        if (!isRead) {
            throw new IllegalStateException(
                    "the table cannot be read within " + STALL, failures.get(failures.size() - 1));
        }
        return rows;
    }

    /**
     * A node loses all that it has stored, and is replaced. A new node gets its data from one of the others, which may lack what
     * only the lost one and a third had: so the others are made equal before, as an operator does by a repair; here, by reading all.
     */
    void replace(int number) throws IOException, InterruptedException {
        CassandraNode node = cluster.nodes().get(number);
        history.note("node " + number + " loses its data");
        node.kill();
        readAll();
        node.replace();
        history.note("node " + number + " is replaced");
    }

    void heal() {
        front.heal();
        proxies.forEach(TcpProxy::heal);
        history.note("everything is healed");
    }

    @Override
    public void close() throws IOException {
        front.close();
        apps.forEach(AppProcess::close);
        for (TcpProxy proxy : proxies) {
            proxy.close();
        }
        cluster.close();
    }
}
