package dev.fbf.loadtest.torture.system;

import dev.fbf.process.ChildProcess;
import dev.fbf.process.Http;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** One process of an application that has several, or that is replaced. */
final class Replica implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final AppProcess app;
    private final ChildProcess process;

    private Replica(AppProcess app) throws IOException {
        this.app = app;
        this.process = app.launch();
    }

    /** Begins to start one. */
    static Replica launch(int port, Path log, String databaseUrl, Path files, String... properties) throws IOException {
        return launchedBy(List.of(), port, log, databaseUrl, files, properties);
    }

    /** Begins to have one started by another program, which it replaces. */
    static Replica launchedBy(
            List<String> launcher, int port, Path log, String databaseUrl, Path files, String... properties)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--logging.level.dev.fbf.spring=info"));
        Stream.of(properties).map("--"::concat).forEach(arguments::add);
        List<String> jvm = List.of("-XX:ErrorFile=" + log + ".error");
        return new Replica(
                AppProcess.of(port, log, jvm, databaseUrl, files, arguments).startedBy(launcher));
    }

    Replica awaitReady() throws IOException, InterruptedException {
        return awaitReady(TIMEOUT);
    }

    Replica awaitReady(Duration timeout) throws IOException, InterruptedException {
        process.await(timeout, () -> Http.listens(port()) && readiness() == 200);
        return this;
    }

    /** Waits until it listens. */
    void awaitResponse() throws IOException, InterruptedException {
        process.await(TIMEOUT, () -> Http.listens(port()) && readiness() != 0);
    }

    /** The status of the readiness group; 0 as long as nobody listens. */
    int readiness() throws InterruptedException {
        return app.readiness();
    }

    int port() {
        return app.port();
    }

    /** The body of the response to a GET; empty if there is none. */
    String get(String path) throws InterruptedException {
        return Http.exchange(Http.get(port(), path), TIMEOUT)
                .map(HttpResponse::body)
                .orElse("");
    }

    String log() throws IOException {
        return Files.readString(app.log());
    }

    /** Sends an operation to what listens on a port; returns the response's status, 0 if there is none. */
    static int post(int port, String path, String key) throws InterruptedException {
        return Http.status(Http.post(port, path, key), TIMEOUT);
    }

    /**
     * Sends an operation, and says whether the response acknowledges it. A retry's can be a 204: the process that applied it
     * was killed before it stored the response.
     */
    static boolean acknowledges(int port, String path, String key) throws InterruptedException {
        return post(port, path, key) / 100 == 2;
    }

    /** Stops it in order, as an orchestrator does. */
    void stop() {
        process.stop(TIMEOUT);
    }

    @Override
    public void close() {
        process.kill();
    }
}
