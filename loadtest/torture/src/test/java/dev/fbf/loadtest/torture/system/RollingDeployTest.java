package dev.fbf.loadtest.torture.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.harness.process.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The replicas of docs/modes.md that HAProxy routes by their keys: operations, their retries at either of them, and what the counter says. */
@Tag("nightly")
class RollingDeployTest extends Replicas {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final List<String> KEYS =
            IntStream.range(0, 20).mapToObj(i -> "operation-" + i).toList();

    @Test
    void routedReplicasAreStartedAgainOneByOneWithTheirDirectories() throws Exception {
        String haproxy = Tool.find("haproxy");
        server.get().execute("DROP SCHEMA IF EXISTS one CASCADE; DROP SCHEMA IF EXISTS two CASCADE"); // of an earlier run
        Replica one = launch(FixedPorts.free(), "one", "one").awaitReady();
        Replica two = launch(FixedPorts.free(), "two", "two").awaitReady();
        int proxy = startProxy(haproxy, one.port(), two.port());
        sendAll(proxy);
        assertThat(views()).isEqualTo(20);

        one.stop();
        List<Integer> meanwhile = new ArrayList<>();
        for (String key : KEYS) {
            meanwhile.add(Replica.post(proxy, PATH, key));
        }
        assertThat(meanwhile)
                .as("replays of one, and keys that wait for the other")
                .contains(200, 503);
        assertThat(views()).isEqualTo(20);

        launch(one.port(), "again", "one").awaitReady();
        two.close();
        launch(two.port(), "two-again", "two").awaitReady();
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

    private Replica launch(int port, String name, String node) throws IOException {
        return launch(port, server.get().url(), name, node, "fbf.schema.name=" + node);
    }

    /** Sends all operations, one after the other, each until it is answered. */
    private static void sendAll(int port) throws InterruptedException {
        for (String key : KEYS) {
            assertThat(Waiting.until(() -> Replica.acknowledges(port, PATH, key), LONG))
                    .as(key)
                    .isTrue();
        }
    }
}
