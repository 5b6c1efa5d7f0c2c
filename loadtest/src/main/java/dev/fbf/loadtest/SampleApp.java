package dev.fbf.loadtest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The sample app, started from its jar as a user would start it: a process of its own, with no JVM flags. */
final class SampleApp implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration STOP = Duration.ofSeconds(40);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int LOG_TAIL = 40;

    private final Process process;
    private final Path log;
    private final URI address;

    private SampleApp(Process process, Path log, URI address) {
        this.process = process;
        this.log = log;
        this.address = address;
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "stop-sample-app"));
    }

    /** Returns once the app answers. */
    static SampleApp start(Path jar, Path directory, String databaseUrl) throws IOException, InterruptedException {
        if (!Files.isRegularFile(jar)) {
            throw new IllegalArgumentException(
                    "There is no sample app at " + jar + ": build it first, or set loadtest.app to its jar");
        }
        int port = freePort();
        Path log = directory.resolve("sample-app.log");
        // never an earlier run's: with the same seed come the same keys, and each would be a replay
        Path memory = Files.createTempDirectory(directory, "fbf-");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                jar.toString(),
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--spring.datasource.url=" + databaseUrl,
                "--spring.datasource.username=" + Database.USER,
                "--spring.datasource.password=" + Database.PASSWORD,
                "--fbf.directory=" + memory);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        SampleApp app = new SampleApp(process, log, URI.create("http://127.0.0.1:" + port));
        try {
            app.awaitAnswer();
        } catch (Throwable e) {
            app.close();
            throw e;
        }
        return app;
    }

    URI address() {
        return address;
    }

    private void awaitAnswer() throws InterruptedException {
        HttpClient client = HttpClient.newBuilder().connectTimeout(POLL).build();
        HttpRequest request = HttpRequest.newBuilder(address.resolve("/faults"))
                .timeout(Duration.ofSeconds(2))
                .build();
        long giveUpAt = System.nanoTime() + START.toNanos();
        while (System.nanoTime() - giveUpAt < 0) {
            if (!process.isAlive()) {
                throw new IllegalStateException("The sample app ended with " + process.exitValue() + logTail());
            }
            try {
                if (client.send(request, BodyHandlers.discarding()).statusCode() == 200) {
                    return;
                }
            } catch (IOException notYet) {
                // it is still starting
            }
            Thread.sleep(POLL.toMillis());
        }
        throw new IllegalStateException(
                "The sample app did not answer " + request.uri() + " within " + START + logTail());
    }

    private String logTail() {
        try {
            List<String> lines = Files.readAllLines(log);
            List<String> tail = lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size());
            return "; the end of " + log + ":\n" + String.join("\n", tail);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.onExit().get(STOP.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            process.destroyForcibly().onExit().join();
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
