package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.postgres.SharedServer;
import dev.fbf.loadtest.harness.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Twenty operations, their retries at another process, and what the counter says: replicas, and those that replace them. */
@Tag("slow")
@Timeout(180)
class RollingDeployTest {

    private static final String PATH = "/pages/page-0/views";
    private static final List<String> KEYS =
            IntStream.range(0, 20).mapToObj(i -> "operation-" + i).toList();

    @RegisterExtension
    static final SharedServer server = new SharedServer();

    @TempDir
    Path directory;

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void makeTables() throws SQLException {
        execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public"); // other classes have tables of the same names
        new Tables(server.get()).create(1);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    @Test
    void aSecondReplicaWithTheDefaultsDoesNotStart() throws Exception {
        Replica one = launch("one").awaitReady();
        sendAll(one.url());

        Replica two = launch("two");

        assertThat(two.awaitExit()).isNotZero();
        assertThat(two.log())
                .contains("Another process applies operations of the scope")
                .contains("directory " + directory.resolve("one"))
                .contains("fbf.mode=ledger", "fbf.nodes=routed", "fbf.directory");
        sendAll(one.url());
        assertThat(views()).isEqualTo(20);
    }

    @Test
    void aKilledReplicaWhoseDirectoryIsLostIsReplacedByOneThatHoldsBack() throws Exception {
        Replica one = launch("one").awaitReady();
        sendAll(one.url());
        one.kill();

        Replica two = launch("two");
        awaitScope(two); // it waits for the lease of the other one
        pass(Duration.ofSeconds(31));
        two.awaitResponse();

        assertThat(two.readiness()).isEqualTo(503);
        assertThat(KEYS.stream().limit(3))
                .allSatisfy(key -> assertThat(two.post(PATH, key)).isEqualTo(503));
        assertThat(two.log()).contains("Until then retries can arrive of operations that node");

        pass(Duration.ofMinutes(10));
        two.awaitReady();
        assertThat(two.post(PATH, "new")).isEqualTo(200);
        assertThat(views()).isEqualTo(21);
    }

    @Test
    void aDirectoryIsHandedOverFromReplicaToReplica() throws Exception {
        Replica one = launch("one", "volume").awaitReady();
        sendAll(one.url());

        Replica early = launch("early", "volume");
        assertThat(early.awaitExit()).isNotZero();
        assertThat(early.log()).contains("is in use by process");
        one.stop();

        Replica two = launch("two", "volume").awaitReady();
        sendAll(two.url());
        assertThat(views()).isEqualTo(20);
    }

    @Test
    void replicasWithALedgerAreReplacedOneByOne() throws Exception {
        Replica one = launch("one", "one", "fbf.mode=ledger").awaitReady();
        Replica two = launch("two", "two", "fbf.mode=ledger").awaitReady();
        sendAll(one.url());
        sendAll(two.url());

        one.stop();
        Replica three = launch("three", "three", "fbf.mode=ledger").awaitReady();
        two.kill();
        sendAll(three.url());

        assertThat(views()).isEqualTo(20);
    }

    @Test
    void routedReplicasAreStartedAgainOneByOneWithTheirDirectories() throws Exception {
        String haproxy = Tool.find("haproxy");
        Replica one = launch("one", "one", "fbf.nodes=routed").awaitReady();
        Replica two = launch("two", "two", "fbf.nodes=routed").awaitReady();
        String url = startProxy(haproxy, one.port(), two.port());
        sendAll(url);
        assertThat(views()).isEqualTo(20);

        one.stop();
        Map<String, Integer> meanwhile = new LinkedHashMap<>();
        for (String key : KEYS) {
            meanwhile.put(key, Replica.post(url, PATH, key));
        }
        assertThat(meanwhile.values())
                .as("replays of one, and keys that wait for the other")
                .contains(200, 503);
        assertThat(views()).isEqualTo(20);

        Replica again = Replica.launch(
                one.port(), directory.resolve("again.log"), database(), directory.resolve("one"), "fbf.nodes=routed");
        open.add(again);
        again.awaitReady();
        two.kill();
        Replica twoAgain = Replica.launch(
                two.port(),
                directory.resolve("two-again.log"),
                database(),
                directory.resolve("two"),
                "fbf.nodes=routed");
        open.add(twoAgain);
        twoAgain.awaitReady();

        sendAll(url);
        assertThat(views()).isEqualTo(20);
    }

    /** Each key goes to one server always, also while that is down. */
    private String startProxy(String haproxy, int... ports) throws IOException, InterruptedException {
        int port = FixedPorts.free();
        StringBuilder servers = new StringBuilder();
        for (int server : ports) {
            servers.append("  server node-")
                    .append(server)
                    .append(" 127.0.0.1:")
                    .append(server)
                    .append('\n');
        }
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
        open.add(Tool.start(port, directory.resolve("haproxy.log"), haproxy, "-db", "-f", configuration.toString()));
        return "http://127.0.0.1:" + port;
    }

    private Replica launch(String name) throws IOException {
        return launch(name, name);
    }

    private Replica launch(String name, String itsDirectory, String... properties) throws IOException {
        Replica replica = Replica.launch(
                directory.resolve(name + ".log"), database(), directory.resolve(itsDirectory), properties);
        open.add(0, replica);
        return replica;
    }

    private static String database() {
        return PostgresServer.url(server.get().port());
    }

    /** Sends all operations, one after the other, each until it is answered. */
    private static void sendAll(String url) throws InterruptedException {
        for (String key : KEYS) {
            while (Replica.post(url, PATH, key) != 200) {
                Thread.onSpinWait();
            }
        }
    }

    /** Returns when a process has asked for the registry, and waits. */
    private static void awaitScope(Replica replica) throws Exception {
        while (!replica.log().contains("Guarding scope")) {
            Thread.sleep(10);
        }
    }

    /** What the counter says; each operation is written down as well. */
    private static long views() throws SQLException {
        assertThat(number("SELECT count(*) FROM torture_applied"))
                .isEqualTo(number("SELECT count(DISTINCT operation) FROM torture_applied"));
        return number("SELECT views FROM torture_page WHERE name = 'page-0'");
    }

    private static void pass(Duration time) throws SQLException {
        String interval = "interval '" + time.toSeconds() + " seconds'";
        execute("UPDATE fbf_node SET seen_at = seen_at - " + interval + ", applied_at = applied_at - " + interval);
    }

    private static long number(String sql) throws SQLException {
        return server.get().number(sql);
    }

    private static void execute(String sql) throws SQLException {
        server.get().execute(sql);
    }
}
