package dev.fbf.loadtest.bench.guard;

import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.harness.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis of our own that keeps everything in memory, and a pool of connections to it. */
final class RedisServer implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final Duration START = Duration.ofSeconds(10);

    private final ChildProcess process;
    private final RedisClient client;

    private RedisServer(ChildProcess process, int port, int connections) {
        this.process = process;
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        client = RedisClient.builder().hostAndPort(HOST, port).poolConfig(pool).build();
    }

    /** Starts it; if there is no such program, says how to get one. */
    static Optional<RedisServer> start(String program, Path directory, int connections)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        int port = FixedPorts.free();
        String options = "--bind %s --port %d --dir %s --appendonly no --save".formatted(HOST, port, directory);
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(options.split(" ")));
        command.add("");
        ChildProcess process;
        try {
            process = ChildProcess.logging(directory.resolve("redis.log"), command);
        } catch (IOException e) {
            System.out.println(GuardContender.REDIS + " is left out (" + e.getMessage()
                    + "): apt-get install redis-server, or -Dbench.guard.redis=…/redis-server");
            return Optional.empty();
        }
        RedisServer server = new RedisServer(process, port, connections);
        try {
            process.await(START, server::isReady);
            return Optional.of(server);
        } catch (Throwable e) {
            server.close();
            throw e;
        }
    }

    private boolean isReady() {
        try {
            return "PONG".equals(client.ping());
        } catch (JedisException notYet) {
            return false;
        }
    }

    RedisClient client() {
        return client;
    }

    String version() {
        return client.info("server")
                .lines()
                .filter(line -> line.startsWith("redis_version:"))
                .map(line -> "Redis " + line.substring(line.indexOf(':') + 1))
                .findFirst()
                .orElseThrow();
    }

    /** The processor time that it has used; zero where the operating system does not tell. */
    Duration processorTime() {
        return process.processorTime();
    }

    /** It has nothing to write down, so it need not be asked to stop. */
    @Override
    public void close() {
        client.close();
        process.kill();
    }
}
