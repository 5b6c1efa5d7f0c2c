package dev.fbf.loadtest.bench.guard;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisException;

/** A Redis of our own that keeps everything in memory, and a pool of connections to it. */
final class RedisServer implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final long PATIENCE_SECONDS = 10;

    private final Process process;
    private final Path log;
    private final Thread atExit;
    private final RedisClient client;

    private RedisServer(Process process, Path log, int port, int connections) {
        this.process = process;
        this.log = log;
        atExit = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(atExit);
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(connections);
        pool.setMaxIdle(connections);
        client = RedisClient.builder().hostAndPort(HOST, port).poolConfig(pool).build();
    }

    /** Starts it; if there is no such program, says how to get one. */
    static Optional<RedisServer> start(String program, Path directory, int connections)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Path log = directory.resolve("redis.log");
        int port = freePort();
        List<String> command = List.of(
                program,
                "--bind",
                HOST,
                "--port",
                Integer.toString(port),
                "--dir",
                directory.toString(),
                "--save",
                "",
                "--appendonly",
                "no");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            System.out.println(GuardContender.REDIS + " is left out (" + e.getMessage()
                    + "): apt-get install redis-server, or -Dbench.guard.redis=…/redis-server");
            return Optional.empty();
        }
        RedisServer server = new RedisServer(process, log, port, connections);
        try {
            server.await();
            return Optional.of(server);
        } catch (Throwable e) {
            server.close();
            throw e;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void await() throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (!isReady()) {
            if (!process.isAlive() || System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new IOException("Redis does not answer: " + Files.readString(log));
            }
            process.waitFor(10, TimeUnit.MILLISECONDS);
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
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** It has nothing to write down, so it need not be asked to stop. */
    @Override
    public void close() {
        client.close();
        process.destroyForcibly().onExit().join();
        Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
