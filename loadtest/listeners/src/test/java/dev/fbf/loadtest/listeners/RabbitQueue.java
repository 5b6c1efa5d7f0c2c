package dev.fbf.loadtest.listeners;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.Directories;
import dev.fbf.process.FixedPorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** A durable queue of a RabbitMQ server, which listens on the loopback address alone and keeps all its files in one directory. */
final class RabbitQueue implements Queue {

    private static final Path PROGRAM = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
    private static final Duration START = Duration.ofMinutes(5);

    private final ConnectionFactory connections = new ConnectionFactory();
    private final ChildProcess names;
    private final ChildProcess server;

    RabbitQueue(Path root) throws Exception {
        assumeTrue(Files.isExecutable(PROGRAM), "RabbitMQ is not installed (Debian: apt-get install rabbitmq-server)");
        Directories.delete(root);
        Path directory = Files.createDirectories(root).toAbsolutePath();
        String epmdPort = Integer.toString(FixedPorts.free());
        connections.setHost("127.0.0.1");
        connections.setPort(FixedPorts.free());
        List<String> environment = new ArrayList<>(List.of("env"));
        Map.of(
                        "ERL_EPMD_ADDRESS", "127.0.0.1",
                        "ERL_EPMD_PORT", epmdPort,
                        "HOME", directory.toString(), // of Erlang's cookie
                        "RABBITMQ_DIST_PORT", Integer.toString(FixedPorts.free()),
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                                directory.resolve("plugins").toString(),
                        "RABBITMQ_LOG_BASE", directory.toString(),
                        "RABBITMQ_MNESIA_BASE", directory.toString(),
                        "RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1",
                        "RABBITMQ_NODE_PORT", Integer.toString(connections.getPort()),
                        "RUNNING_UNDER_SYSTEMD", "true") // one process, without a shell above it
                .forEach((name, value) -> environment.add(name + "=" + value));
        environment.add("RABBITMQ_NODENAME=fbf@localhost");
        Path log = directory.resolve("server.log");
        names = ChildProcess.logging(log, List.of("env", "ERL_EPMD_ADDRESS=127.0.0.1", "epmd", "-port", epmdPort));
        environment.add(PROGRAM.toString());
        server = ChildProcess.logging(log, environment);
        server.await(START, this::declared);
    }

    private boolean declared() throws TimeoutException {
        try (Connection connection = connections.newConnection();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(NAME, true, false, false, Map.of());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public List<String> settings() {
        return List.of(
                "spring.profiles.active=rabbitmq",
                "spring.rabbitmq.host=127.0.0.1",
                "spring.rabbitmq.port=" + connections.getPort());
    }

    @Override
    public void send(List<String> messages) throws Exception {
        try (Connection connection = connections.newConnection();
                Channel channel = connection.createChannel()) {
            channel.confirmSelect();
            for (String message : messages) {
                channel.basicPublish(
                        "", NAME, MessageProperties.PERSISTENT_TEXT_PLAIN, message.getBytes(StandardCharsets.UTF_8));
            }
            channel.waitForConfirmsOrDie();
        }
    }

    @Override
    public boolean isEmpty() throws Exception {
        try (Connection connection = connections.newConnection();
                Channel channel = connection.createChannel()) {
            return channel.messageCount(NAME) == 0;
        }
    }

    @Override
    public void close() {
        server.close();
        names.close();
    }
}
