package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Directories;
import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.cassandra.CassandraCluster;
import dev.fbf.loadtest.harness.cassandra.CassandraNode;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.lanes.LaneApplication;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * All that runs for counters on Cassandra.
 *
 * <pre>
 *   clients ── proxy ──┬── app 0 ──┬── proxies, one before each node ── Cassandra
 *                      └── app 1 ──┘
 * </pre>
 */
final class LaneSystem implements AutoCloseable {

    private static final Duration WORK = Duration.ofMinutes(1);

    private final History history = new History();
    private final CassandraCluster cluster;
    private final List<TcpProxy> proxies;
    private final List<AppProcess> apps = new ArrayList<>();
    private final TcpProxy front;

    private final List<Double> backAtWork = new CopyOnWriteArrayList<>();

    private LaneSystem(Settings settings, CassandraCluster cluster, List<TcpProxy> proxies, Path directory)
            throws IOException, InterruptedException {
        this.cluster = cluster;
        this.proxies = proxies;
        List<String> jvm = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m"));
        if (!settings.text("broken").isEmpty()) {
            jvm.addAll(TortureAgent.options(directory, settings.text("broken")));
        }
        for (int i = 0; i < settings.atLeastOne("app-nodes"); i++) {
            int port = FixedPorts.free();
            List<String> nodes = new ArrayList<>();
            for (int node = 0; node < proxies.size(); node++) {
                InetSocketAddress address = cluster.nodes().get(node).address();
                nodes.add(address.getHostString() + ":" + address.getPort() + "="
                        + proxies.get(node).port());
            }
            List<String> arguments = List.of(
                    "--fbf.retry-window=" + settings.seconds("window-seconds"),
                    "--fbf.expected-operations-per-second=" + settings.positive("rate"),
                    "--fbf.cassandra.request-timeout=" + LaneApplication.REQUEST_TIMEOUT,
                    "--fbf.counters.timeout=2s",
                    "--torture.nodes=" + String.join(",", nodes));
            AppProcess app = AppProcess.of(
                            LaneApplication.class, port, directory.resolve("app-" + i + ".log"), jvm, arguments)
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
                        "internode_timeout: false", // or messages of a node whose clock is behind are late before they
                        // are sent
                        "paxos_variant: " + settings.text("paxos")),
                List.of("-XX:TieredStopAtLevel=1"),
                settings.millis("clocks-apart-millis"));
        try {
            LaneTorture.create(cluster);
            List<TcpProxy> proxies = new ArrayList<>();
            for (CassandraNode node : cluster.nodes()) {
                proxies.add(TcpProxy.openTo("cassandra", List.of(node.address()), () -> Relay.PLAIN));
            }
            return new LaneSystem(settings, cluster, proxies, directory);
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Sends operations until one is applied, and keeps how long that took. */
    void awaitWork() throws InterruptedException {
        long begin = System.nanoTime();
        if (Waiting.until(this::appliesAnOperation, WORK)) {
            backAtWork.add((System.nanoTime() - begin) / 1e9);
        }
    }

    private boolean appliesAnOperation() throws InterruptedException {
        for (AppProcess app : apps) {
            if (app.operation().filter(response -> response.statusCode() == 200).isPresent()) {
                return true;
            }
        }
        return false;
    }

    /** After each time without a quorum, the seconds from its return to the first applied operation. */
    List<Double> backAtWork() {
        return List.copyOf(backAtWork);
    }

    History history() {
        return history;
    }

    CassandraCluster cluster() {
        return cluster;
    }

    List<TcpProxy> proxies() {
        return proxies;
    }

    List<AppProcess> apps() {
        return apps;
    }

    TcpProxy front() {
        return front;
    }

    long responsesLost() {
        return proxies.stream().mapToLong(TcpProxy::responsesLost).sum();
    }

    /**
     * A node loses all that it has stored, and is replaced. A new node gets its data from one of the others, which may lack what
     * only the lost one and a third had: so the others are made equal before, as an operator does by a repair; here, by reading all.
     */
    void replace(int number) throws IOException, InterruptedException {
        CassandraNode node = cluster.nodes().get(number);
        history.note("node " + number + " loses its data");
        node.kill();
        LaneTorture.readAll(cluster);
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
