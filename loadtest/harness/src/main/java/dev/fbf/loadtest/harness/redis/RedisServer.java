package dev.fbf.loadtest.harness.redis;

import dev.fbf.process.ChildProcess;
import dev.fbf.process.FixedPorts;
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

/**
 * A Redis server of this run, which writes to its log before it answers, and a pool of connections to it. The log is never rewritten:
 * that would be the work of the turns before.
 */
public final class RedisServer implements AutoCloseable {

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

    /**
     * Starts a server. If the program is missing, prints how to install it.
     *
     * @param setting the system property that names the program
     * @param program the program
     * @param directory where its log and its data are
     * @param connections how many a client may have at the same time
     * @return empty if there is no such program
     */
    public static Optional<RedisServer> start(String setting, String program, Path directory, int connections)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        int port = FixedPorts.free();
        String options =
                "--appendonly yes --auto-aof-rewrite-percentage 0 --appendfsync always --bind %s --port %d --dir %s --save"
                        .formatted(HOST, port, directory);
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(options.split(" ")));
        command.add("");
        ChildProcess process;
        try {
            process = ChildProcess.logging(directory.resolve("redis.log"), command);
        } catch (IOException e) {
            System.out.println("Redis is left out (" + e.getMessage() + "): apt-get install redis-server, or -D"
                    + setting + "=…/redis-server");
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

    /** The pool of connections. */
    public RedisClient client() {
        return client;
    }

    /** Its name and version. */
    public String version() {
        return "Redis " + info("server", "redis_version").orElseThrow();
    }

    /** The bytes that it has written to its log. */
    public long logBytes() {
        return info("persistence", "aof_current_size").map(Long::parseLong).orElseThrow();
    }

    /** The bytes of memory that it uses. */
    public long memoryBytes() {
        return info("memory", "used_memory").map(Long::parseLong).orElseThrow();
    }

    private Optional<String> info(String section, String name) {
        return client.info(section)
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(line.indexOf(':') + 1))
                .findFirst();
    }

    /** The processor time that it has used; zero where the operating system does not tell. */
    public Duration processorTime() {
        return process.processorTime();
    }

    /** Kills the server: its data is not needed any more. */
    @Override
    public void close() {
        client.close();
        process.kill();
    }
}
