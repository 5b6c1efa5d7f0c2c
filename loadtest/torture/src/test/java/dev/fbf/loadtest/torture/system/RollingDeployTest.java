package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Twenty operations, their retries at another process, and what the counter says: replicas, and those that replace them. */
@Tag("nightly")
class RollingDeployTest extends Replicas {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final List<String> KEYS =
            IntStream.range(0, 20).mapToObj(i -> "operation-" + i).toList();

    @Test
    void aSecondReplicaInFilterModeDoesNotStart() throws Exception {
        Replica one = launch("one").awaitReady();
        sendAll(one.port());

        Replica two = launch("two");

        assertThat(two.awaitExit()).isNotZero();
        assertThat(two.log())
                .contains("Another process applies operations of the scope")
                .contains("directory " + directory.resolve("one"))
                .contains("ledger mode", "fbf.schema.name", "fbf.directory");
        sendAll(one.port());
        assertThat(views()).isEqualTo(20);
    }

    @Test
    void aKilledReplicaWhoseDirectoryIsLostIsReplacedByOneThatHoldsBack() throws Exception {
        Replica one = launch("one").awaitReady();
        sendAll(one.port());
        one.close();

        Replica two = launch("two");
        awaitScope(two); // it waits for the lease of the other one
        pass(Duration.ofSeconds(31));
        two.awaitResponse();

        assertThat(two.readiness()).isEqualTo(503);
        assertThat(KEYS.stream().limit(3))
                .allSatisfy(
                        key -> assertThat(Replica.post(two.port(), PATH, key)).isEqualTo(503));
        assertThat(two.log()).contains("Until then, retries can arrive of operations that node");

        pass(Duration.ofMinutes(10));
        two.awaitReady();
        assertThat(Replica.post(two.port(), PATH, "new")).isEqualTo(200);
        assertThat(views()).isEqualTo(21);
    }

    @Test
    void aDirectoryIsHandedOverFromReplicaToReplica() throws Exception {
        Replica one = launch("one", "volume").awaitReady();
        sendAll(one.port());

        Replica early = launch("early", "volume");
        assertThat(early.awaitExit()).isNotZero();
        assertThat(early.log()).contains("is in use by process");
        one.stop();

        Replica two = launch("two", "volume").awaitReady();
        sendAll(two.port());
        assertThat(views()).isEqualTo(20);
    }

    @Test
    void replicasWithALedgerAreReplacedOneByOne() throws Exception {
        Replica one = launch("one", "one", "fbf.mode=ledger").awaitReady();
        Replica two = launch("two", "two", "fbf.mode=ledger").awaitReady();
        sendAll(one.port());
        sendAll(two.port());

        one.stop();
        Replica three = launch("three", "three", "fbf.mode=ledger").awaitReady();
        two.close();
        sendAll(three.port());

        assertThat(views()).isEqualTo(20);
    }

    @Test
    void routedReplicasAreStartedAgainOneByOneWithTheirDirectories() throws Exception {
        String haproxy = Tool.find("haproxy");
        Replica one = launch("one", "one", "fbf.schema.name=one").awaitReady();
        Replica two = launch("two", "two", "fbf.schema.name=two").awaitReady();
        int proxy = startProxy(haproxy, one.port(), two.port());
        sendAll(proxy);
        assertThat(views()).isEqualTo(20);

        one.stop();
        Map<String, Integer> meanwhile = new LinkedHashMap<>();
        for (String key : KEYS) {
            meanwhile.put(key, Replica.post(proxy, PATH, key));
        }
        assertThat(meanwhile.values())
                .as("replays of one, and keys that wait for the other")
                .contains(200, 503);
        assertThat(views()).isEqualTo(20);

        launchAt(one.port(), "again", "one", "fbf.schema.name=one").awaitReady();
        two.close();
        launchAt(two.port(), "two-again", "two", "fbf.schema.name=two").awaitReady();
        sendAll(proxy);
        assertThat(views()).isEqualTo(20);
    }

    /** Each key goes to one server always, also while that is down. */
    private int startProxy(String haproxy, int... ports) throws IOException, InterruptedException {
        int port = FixedPorts.free();
        String servers = IntStream.of(ports)
                .mapToObj("  server node-%1$d 127.0.0.1:%1$d%n"::formatted)
                .collect(Collectors.joining());
        Path configuration = Files.writeString(directory.resolve("haproxy.cfg"), """
                defaults
                  mode http
                  timeout connect 2s
                  timeout client 30s
                  timeout server 30s
                frontend clients
                  bind 127.0.0.1:%d
                  default_backend application
                backend application
                  balance hdr(Idempotency-Key)
                  hash-type map-based
                  retries 0
                %s""".formatted(port, servers));
        List<String> command = List.of(haproxy, "-db", "-f", configuration.toString());
        closedLater(Tool.start(port, directory.resolve("haproxy.log"), command));
        return port;
    }

    private Replica launch(String name) throws IOException {
        return launch(name, name);
    }

    private Replica launch(String name, String files, String... properties) throws IOException {
        return launchAt(FixedPorts.free(), name, files, properties);
    }

    private Replica launchAt(int port, String name, String files, String... properties) throws IOException {
        return launch(port, server.get().url(), name, files, properties);
    }

    /** Sends all operations, one after the other, each until it is answered. */
    private static void sendAll(int port) throws InterruptedException {
        for (String key : KEYS) {
            assertThat(Waiting.until(() -> Replica.acknowledges(port, PATH, key), LONG))
                    .as(key)
                    .isTrue();
        }
    }

    /** Returns when a process has asked for the registry, and waits. */
    private static void awaitScope(Replica replica) throws Exception {
        assertThat(Waiting.<IOException>until(() -> replica.log().contains("Guarding scope"), LONG))
                .isTrue();
    }

    private static void pass(Duration time) throws SQLException {
        String interval = "interval '" + time.toSeconds() + " seconds'";
        server.get().execute("UPDATE fbf_lease SET seen_at = seen_at - " + interval);
    }
}
