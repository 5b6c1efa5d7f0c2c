package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.loadtest.torture.postgres.FixedPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One process of an application that has several, or that is replaced. */
final class Replica implements AutoCloseable {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final int port;
    private final Path log;

    private Replica(Process process, int port, Path log) {
        this.process = process;
        this.port = port;
        this.log = log;
    }

    /** Begins to start one, on a port of its own. */
    static Replica launch(Path log, String databaseUrl, Path directory, String... properties) throws IOException {
        return launch(FixedPorts.free(), log, databaseUrl, directory, properties);
    }

    static Replica launch(int port, Path log, String databaseUrl, Path directory, String... properties)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                TortureApplication.class.getName(),
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--spring.datasource.url=" + databaseUrl,
                "--spring.datasource.username=postgres",
                "--torture.counters=true",
                "--logging.level.dev.fbf.spring.Guards=info",
                "--fbf.directory=" + directory));
        for (String property : properties) {
            command.add("--" + property);
        }
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new Replica(process, port, log);
    }

    /** Waits until it is ready. */
    Replica awaitReady() throws IOException, InterruptedException {
        await(() -> readiness() == 200);
        return this;
    }

    /** Waits until it listens. */
    Replica awaitResponse() throws IOException, InterruptedException {
        await(() -> readiness() != 0);
        return this;
    }

    private void await(Condition condition) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        (process.isAlive() ? "is not ready: " : "has ended: ") + Files.readString(log));
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** The status of the readiness group; 0 as long as nobody listens. */
    int readiness() throws InterruptedException {
        try {
            return HTTP.send(
                            HttpRequest.newBuilder(URI.create(url() + "/actuator/health/readiness"))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException notYet) {
            return 0;
        }
    }

    int port() {
        return port;
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    /** Sends an operation; returns the response's status, 0 if there is none. */
    int post(String path, String key) throws InterruptedException {
        return post(url(), path, key);
    }

    /** Sends an operation to whatever listens there. */
    static int post(String url, String path, String key) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(20))
                .header("Idempotency-Key", "\"" + key + "\"")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        try {
            HttpResponse<Void> response = HTTP.send(request, BodyHandlers.discarding());
            return response.statusCode();
        } catch (IOException lost) {
            return 0;
        }
    }

    /** Stops it in order, as an orchestrator does. */
    void stop() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Waits until it has ended by itself; returns how. */
    int awaitExit() throws InterruptedException {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        kill();
    }

    @FunctionalInterface
    private interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }
}
