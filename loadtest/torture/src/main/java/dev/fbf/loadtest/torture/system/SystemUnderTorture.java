package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Waiting;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.client.History;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * All that runs: clients' proxy, applications, their databases' proxies, PostgreSQL.
 *
 * <pre>
 *   clients ── proxy ──┬── node 0 ── proxy ──┬── PostgreSQL
 *                      └── node 1 ── proxy ──┘
 * </pre>
 */
final class SystemUnderTorture implements AutoCloseable {

    private static final Duration QUIET = Duration.ofSeconds(60);

    private final PostgresServer postgres;
    private final List<Node> nodes;
    private final TcpProxy front;

    private SystemUnderTorture(PostgresServer postgres, List<Node> nodes, TcpProxy front) {
        this.postgres = postgres;
        this.nodes = nodes;
        this.front = front;
    }

    static SystemUnderTorture start(Parameters parameters, History history, SystemReport report)
            throws IOException, InterruptedException, SQLException {
        PostgresServer postgres = PostgresServer.prepare(
                parameters.home(),
                RunDirectory.postgres(parameters.directory()),
                FixedPorts.free(),
                PostgresServer.SHORT_RECOVERY);
        List<Node> nodes = new ArrayList<>();
        try {
            postgres.start();
            new Tables(postgres).create(parameters.counters());
            for (int i = 0; i < parameters.nodes(); i++) {
                Node node = new Node(parameters, i, postgres.port(), history);
                nodes.add(node);
                report.started(node.app().start().applied());
            }
            new Tables(postgres).watchCounters();
            TcpProxy front =
                    TcpProxy.open("front", nodes.stream().map(Node::port).toList(), () -> Relay.PLAIN);
            return new SystemUnderTorture(postgres, List.copyOf(nodes), front);
        } catch (Throwable e) {
            for (Node node : nodes) {
                node.close();
            }
            postgres.close();
            throw e;
        }
    }

    PostgresServer postgres() {
        return postgres;
    }

    List<Node> nodes() {
        return nodes;
    }

    TcpProxy front() {
        return front;
    }

    /** Ends every fault that goes on, and sees to it that all applications are ready. */
    void heal(History history, SystemReport report) throws IOException, InterruptedException {
        front.heal();
        for (Node node : nodes) {
            node.interceptions().heal();
            node.database().heal();
        }
        postgres.awaitReady();
        for (Node node : nodes) {
            if (!node.app().isReady()) {
                node.app().kill();
                report.recovered(node.app().start(), false);
            }
        }
        history.note("everything is healed");
    }

    /** Waits until nothing is under way: no held message, no open transaction. */
    void awaitQuiet() throws SQLException, InterruptedException {
        boolean isQuiet = Waiting.<SQLException>until(
                () -> postgres.openTransactions() == 0
                        && nodes.stream().allMatch(node -> node.interceptions().held() == 0),
                QUIET);
        if (!isQuiet) {
            throw new IllegalStateException("something is still at work " + QUIET + " after the last request");
        }
    }

    @Override
    public void close() throws IOException {
        front.close();
        for (Node node : nodes) {
            node.close();
        }
        postgres.close();
    }
}
