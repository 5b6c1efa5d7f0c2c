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
import java.util.stream.IntStream;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis of our own and a pool of connections to it. */
final class RedisServer implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final Duration START = Duration.ofSeconds(10);
    private static final String COUNTER = "counter:";
    private static final int AT_ONCE = 1_000;

    private final ChildProcess process;
    private final RedisClient client;

    /** What a server writes to its disk. The log is never rewritten: that would be the work of the turns before. */
    enum Persistence {
        NONE("--appendonly no"),
        EVERY_SECOND("--appendonly yes --auto-aof-rewrite-percentage 0 --appendfsync everysec"),
        ALWAYS("--appendonly yes --auto-aof-rewrite-percentage 0 --appendfsync always");

        private final String options;

        Persistence(String options) {
            this.options = options;
        }
    }

    private RedisServer(ChildProcess process, int port, int connections) {
        this.process = process;
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        client = RedisClient.builder().hostAndPort(HOST, port).poolConfig(pool).build();
    }

    /** Starts it; if there is no such program, says how to get one. */
    static Optional<RedisServer> start(String program, Path directory, int connections, Persistence persistence)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        int port = FixedPorts.free();
        String options = "--bind %s --port %d --dir %s %s --save".formatted(HOST, port, directory, persistence.options);
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(options.split(" ")));
        command.add("");
        ChildProcess process;
        try {
            process = ChildProcess.logging(directory.resolve("redis.log"), command);
        } catch (IOException e) {
            System.out.println("The contenders with Redis are left out (" + e.getMessage()
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
        return "Redis " + info("server", "redis_version").orElseThrow();
    }

    /** The key of a counter. */
    static String counter(int counter) {
        return COUNTER + counter;
    }

    /** The values of the first counters; those that are not there are 0. */
    List<Long> counters(int count) {
        List<Long> values = new ArrayList<>();
        for (int from = 0; from < count; from += AT_ONCE) {
            String[] keys = IntStream.range(from, Math.min(count, from + AT_ONCE))
                    .mapToObj(RedisServer::counter)
                    .toArray(String[]::new);
            client.mget(keys).forEach(value -> values.add(value == null ? 0 : Long.parseLong(value)));
        }
        return values;
    }

    /** The bytes that it has written to its log; 0 without one. */
    long logBytes() {
        return info("persistence", "aof_current_size").map(Long::parseLong).orElse(0L);
    }

    long memoryBytes() {
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
