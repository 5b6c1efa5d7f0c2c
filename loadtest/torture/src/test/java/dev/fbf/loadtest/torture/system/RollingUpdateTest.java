package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.process.FixedPorts;
import dev.fbf.process.Http;
import dev.fbf.process.Waiting;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The Deployment of docs/examples/kubernetes.yaml under load: its pods are replaced as Kubernetes does it, and no request fails. */
@Tag("nightly")
@Timeout(600)
class RollingUpdateTest extends Replicas {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int CLIENTS = 4;
    private static final int OPERATIONS_BETWEEN = 100;

    /** So late the load balancer learns that a pod is to end. */
    private static final Duration LAG = Duration.ofSeconds(3);

    private final Deployment deployment = Deployment.read(Path.of("..", "..", "docs", "examples", "kubernetes.yaml"));

    @AutoClose
    private final Clients clients = new Clients();

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger operations = new AtomicInteger();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void noRequestFailsAndCountersAreExact() throws Exception {
        Deque<Integer> ports = new ArrayDeque<>(IntStream.range(0, 2 * deployment.replicas())
                .mapToObj(i -> FixedPorts.free())
                .toList());
        Balancer balancer = closedLater(Balancer.start(directory, List.copyOf(ports)));
        Deque<Replica> old = new ArrayDeque<>();
        while (old.size() < deployment.replicas()) {
            old.add(start(ports.pop(), balancer));
        }
        clients.start(CLIENTS, client -> send(balancer.port(), client));
        awaitMoreOperations();

        while (!old.isEmpty()) {
            start(ports.pop(), balancer);
            end(old.pop(), balancer);
            awaitMoreOperations();
        }
        clients.finish();

        System.out.printf("Rolling update: %d operations, each sent twice%n", operations.get());
        assertThat(failures).isEmpty();
        assertThat(views()).isEqualTo(operations.get() + deployment.replicas());
        assertThat(number("SELECT value FROM fbf_counter WHERE name = 'hot'")).isEqualTo(operations.get());
    }

    private Replica start(int port, Balancer balancer) throws Exception {
        List<String> launcher = new ArrayList<>(List.of("env"));
        launcher.addAll(deployment.environment());
        Replica pod = closedLater(Replica.launchedBy(
                launcher,
                port,
                directory.resolve("pod-" + port + ".log"),
                server.get().url(),
                directory.resolve("pod-" + port),
                "fbf.mode=ledger"));
        pod.awaitReady();
        balancer.add(port);
        return pod;
    }

    /** Ends it as Kubernetes does. A request that it is working on when it is told to is answered. */
    private void end(Replica pod, Balancer balancer) throws Exception {
        Future<Void> removed = threads.submit(() -> {
            Waiting.sleep(LAG);
            balancer.remove(pod.port());
            return null;
        });
        Waiting.sleep(deployment.preStop());
        Future<?> last;
        Future<Integer> ended;
        try (Connection lock = server.get().connect();
                Statement statement = lock.createStatement()) {
            lock.setAutoCommit(false);
            statement.execute("SELECT 1 FROM torture_page FOR UPDATE");
            last = threads.submit(() -> post(pod.port(), PATH, "last-" + pod.port()));
            await(() -> number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") > CLIENTS);
            ended = threads.submit(() -> pod.stop(deployment.grace().minus(deployment.preStop())));
            await(() -> !Http.listens(pod.port()));
        }
        last.get();
        assertThat(ended.get()).as("SIGTERM's, not SIGKILL's").isEqualTo(128 + 15);
        removed.get();
    }

    /** Operations, and each once more, as by a client that has got no response. */
    private void send(int port, int client) throws InterruptedException {
        for (int i = 0; clients.isSending(); i++) {
            for (String path : List.of(PATH, COUNTER)) {
                String key = path + client + "-" + i;
                post(port, path, key);
                post(port, path, key);
            }
            operations.incrementAndGet();
        }
    }

    private Void post(int port, String path, String key) throws InterruptedException {
        int status = Replica.post(port, path, key);
        if (status / 100 != 2) {
            failures.add(Instant.now() + " " + key + ": " + status);
        }
        return null;
    }

    private void awaitMoreOperations() throws Exception {
        int wanted = operations.get() + OPERATIONS_BETWEEN;
        await(() -> operations.get() >= wanted);
    }

    private static void await(Waiting.Condition<Exception> condition) throws Exception {
        assertThat(Waiting.until(condition, LONG)).isTrue();
    }
}
