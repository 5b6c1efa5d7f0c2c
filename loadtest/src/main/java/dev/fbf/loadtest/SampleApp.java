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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** The sample app, started from its jar as a user would start it: a process of its own, with no JVM flags but those asked for. */
public final class SampleApp implements AutoCloseable {

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

    /**
     * Returns once the app answers.
     *
     * @param jar what is started
     * @param directory for its log and its filters
     * @param databaseUrl its database
     * @param settings its properties, as in {@code fbf.mode=ledger}; those that begin with {@code -} are the JVM's
     */
    public static SampleApp start(Path jar, Path directory, String databaseUrl, String... settings)
            throws IOException, InterruptedException {
        if (!Files.isRegularFile(jar)) {
            throw new IllegalArgumentException(
                    "There is no sample app at " + jar + ": build it first, or set loadtest.app to its jar");
        }
        int port = freePort();
        Path log = directory.resolve("sample-app-" + port + ".log");
        // never an earlier run's: with the same seed come the same keys, and each would be a replay
        Path memory = Files.createTempDirectory(directory, "fbf-");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        Stream.of(settings).filter(SampleApp::isOfJvm).forEach(command::add);
        command.addAll(List.of(
                "-jar",
                jar.toString(),
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--spring.datasource.url=" + databaseUrl,
                "--spring.datasource.username=" + Database.USER,
                "--spring.datasource.password=" + Database.PASSWORD,
                "--fbf.directory=" + memory));
        Stream.of(settings)
                .filter(setting -> !isOfJvm(setting))
                .map("--"::concat)
                .forEach(command::add);
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

    private static boolean isOfJvm(String setting) {
        return setting.startsWith("-");
    }

    public URI address() {
        return address;
    }

    public ProcessHandle process() {
        return process.toHandle();
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
