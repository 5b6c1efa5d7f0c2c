package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.harness.process.FixedPorts;
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
import java.util.stream.Stream;

/** One process of an application that has several, or that is replaced. */
final class Replica implements AutoCloseable {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final ChildProcess process;
    private final int port;
    private final Path log;

    private Replica(ChildProcess process, int port, Path log) {
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
        List<String> more =
                new ArrayList<>(List.of("--torture.counters=true", "--logging.level.dev.fbf.spring.guard.Guards=info"));
        Stream.of(properties).map("--"::concat).forEach(more::add);
        AppProcess.Command command = AppProcess.Command.ofApplication(
                List.of("-XX:TieredStopAtLevel=1", "-Xmx256m"), port, databaseUrl, directory, more);
        ChildProcess process = ChildProcess.logging(log, command.line());
        return new Replica(process, port, log);
    }

    /** Waits until it is ready. */
    Replica awaitReady() throws IOException, InterruptedException {
        process.await(TIMEOUT, () -> readiness() == 200);
        return this;
    }

    /** Waits until it listens. */
    Replica awaitResponse() throws IOException, InterruptedException {
        process.await(TIMEOUT, () -> readiness() != 0);
        return this;
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
    void stop() {
        process.stop(TIMEOUT);
    }

    void kill() {
        process.kill();
    }

    /** Waits until it has ended by itself; returns how. */
    int awaitExit() throws InterruptedException {
        if (!process.awaitEnd(TIMEOUT)) {
            throw new IllegalStateException("does not end");
        }
        return process.awaitExit();
    }

    @Override
    public void close() {
        kill();
    }
}
