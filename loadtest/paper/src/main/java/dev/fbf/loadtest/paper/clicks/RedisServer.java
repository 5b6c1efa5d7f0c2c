package dev.fbf.loadtest.paper.clicks;

import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.harness.process.FixedPorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis of our own that keeps everything in memory. */
final class RedisServer implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final Duration START = Duration.ofSeconds(10);

    private final ChildProcess process;
    private final RedisClient client;

    private RedisServer(ChildProcess process, int port) {
        this.process = process;
        client = RedisClient.builder().hostAndPort(HOST, port).build();
    }

    /** Starts it; empty, and a line on the console, if there is no such program. */
    static Optional<RedisServer> start(String program, Path directory) throws IOException, InterruptedException {
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
            System.out.println("Redis is left out (" + e.getMessage()
                    + "): apt-get install redis-server, or -Dpaper.clicks.redis=…/redis-server");
            return Optional.empty();
        }
        RedisServer server = new RedisServer(process, port);
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
        return "Redis " + info("server", "redis_version");
    }

    long usedMemory() {
        return Long.parseLong(info("memory", "used_memory"));
    }

    private String info(String section, String name) {
        String start = name + ":";
        return client.info(section)
                .lines()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()))
                .findFirst()
                .orElseThrow();
    }

    /** It has nothing to write down, so it need not be asked to stop. */
    @Override
    public void close() {
        client.close();
        process.kill();
    }
}
