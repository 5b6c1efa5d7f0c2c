package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.process.Waiting;
import dev.fbf.loadtest.harness.proxy.Relay;
import dev.fbf.loadtest.harness.proxy.TcpProxy;
import dev.fbf.loadtest.torture.client.History;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * All that runs: clients' proxy, applications, their databases' proxies, PostgreSQL; and what is written down about it.
 *
 * <pre>
 *   clients ── proxy ──┬── node 0 ── proxy ──┬── PostgreSQL
 *                      └── node 1 ── proxy ──┘
 * </pre>
 */
final class SystemUnderTorture implements AutoCloseable {

    private static final Duration QUIET = Duration.ofSeconds(60);
    private static final Duration LIFE = Duration.ofSeconds(2);

    final History history = new History();
    final Report report = new Report();
    final List<Node> nodes = new ArrayList<>();
    final PostgresServer postgres;
    final Database database;
    final TcpProxy front;

    @SuppressWarnings("MustBeClosedChecker") // closed with the system
    SystemUnderTorture(Settings settings) throws IOException, InterruptedException, SQLException {
        postgres = Database.startServer(settings);
        database = new Database(postgres);
        try {
            database.create(settings.atLeastOne("counters"));
            for (int number = 0; number < settings.atLeastOne("nodes"); number++) {
                Node node = Node.of(settings, number, postgres.port(), history);
                nodes.add(node);
                node.app().start();
            }
            database.watchCounters();
            front = TcpProxy.open(
                    "front", nodes.stream().map(node -> node.app().port()).toList(), () -> Relay.PLAIN);
        } catch (Throwable e) {
            for (Node node : nodes) {
                node.close();
            }
            postgres.close();
            throw e;
        }
    }

    /** Ends every fault that goes on, and sees to it that all applications are ready. */
    void heal() throws IOException, InterruptedException {
        front.heal();
        for (Node node : nodes) {
            node.interceptions().heal();
            node.database().heal();
        }
        postgres.awaitReady();
        for (Node node : nodes) {
            if (!node.app().isReady()) {
                node.app().kill();
                report.started(node.app().start(), false);
            }
        }
        history.note("everything is healed");
    }

    /** Kills all applications at once, again and again, each time a little after they are ready: each of their lives must count. */
    void live(int lives) throws IOException, InterruptedException, SQLException {
        ExecutorService starters = Executors.newFixedThreadPool(nodes.size());
        try {
            for (int life = 0; life < lives; life++) {
                nodes.forEach(node -> node.app().kill());
                long before = database.applied();
                List<Callable<Start>> starts = new ArrayList<>();
                nodes.forEach(node -> starts.add(() -> node.app().start()));
                for (Future<Start> started : starters.invokeAll(starts)) {
                    report.started(started.get(), true);
                }
                Waiting.sleep(LIFE);
                long applied = database.applied() - before;
                report.lived(applied);
                history.note("killed after a life of " + applied + " operations");
            }
        } catch (ExecutionException e) {
            throw new IOException("an application did not start", e.getCause());
        } finally {
            starters.shutdownNow();
        }
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
