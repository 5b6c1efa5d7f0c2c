package dev.fbf.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** The sample app in a process of its own. */
final class RunningApp implements AutoCloseable {

    static final Path JAR = Path.of("target", "fbf-sample-app-exec.jar").toAbsolutePath();
    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    private final Path data;
    private final Path log;

    private RunningApp(Process process, Path data, Path log) {
        this.process = process;
        this.data = data;
        this.log = log;
    }

    static RunningApp launch(Path data, String... flags) throws IOException {
        return launch(data, 0, List.of(flags), List.of());
    }

    /**
     * Starts it.
     *
     * @param port where it listens; 0 for any free port
     * @param flags of the JVM
     * @param arguments of the application
     */
    static RunningApp launch(Path data, int port, List<String> flags, List<String> arguments) throws IOException {
        List<String> all = new ArrayList<>(arguments);
        all.add(0, "--sample.data-directory=" + data);
        return launch(JAR, Path.of(""), data, port, flags, all);
    }

    /** Starts it in a working directory, where its data is by default, quickly. */
    static RunningApp launchIn(Path directory, int port, List<String> arguments) throws IOException {
        List<String> flags = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m");
        return launch(JAR, directory, directory.resolve("data"), port, flags, arguments);
    }

    /** Starts it from its jar with the libraries beside it. */
    static RunningApp launchExtracted(Path jar, Path data, List<String> flags) throws IOException {
        return launch(jar, Path.of(""), data, 0, flags, List.of("--sample.data-directory=" + data));
    }

    private static RunningApp launch(
            Path jar, Path directory, Path data, int port, List<String> flags, List<String> arguments)
            throws IOException {
        Path log = Files.createTempFile("app", ".log");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of("-jar", jar.toString(), "--server.port=" + port));
        command.addAll(arguments);
        ProcessBuilder process = new ProcessBuilder(command)
                .directory(directory.toAbsolutePath().toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        return new RunningApp(process.start(), data, log);
    }

    void awaitStart() throws IOException {
        Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .until(() -> log().contains("Started SampleApplication") || !process.isAlive());
        assertThat(process.isAlive()).as(log()).isTrue();
    }

    String get(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri(path)).build());
    }

    void post(String path, String key) throws IOException, InterruptedException {
        send(HttpRequest.newBuilder(uri(path))
                .header("Idempotency-Key", '"' + key + '"')
                .POST(HttpRequest.BodyPublishers.noBody())
                .build());
    }

    void delete(String path) throws IOException, InterruptedException {
        send(HttpRequest.newBuilder(uri(path)).DELETE().build());
    }

    ProcessHandle postgres() throws IOException {
        return postgresOn(data).orElseThrow();
    }

    static Optional<ProcessHandle> postgresOn(Path data) throws IOException {
        Path pidFile = data.resolve("postgres").resolve("postmaster.pid");
        return Files.exists(pidFile)
                ? ProcessHandle.of(Long.parseLong(Files.readAllLines(pidFile).get(0)))
                : Optional.empty();
    }

    /** Waits until it has ended by itself. */
    void awaitEnd() throws InterruptedException, IOException {
        assertThat(process.waitFor()).as(log()).isZero();
    }

    /** As by {@code kill -9}: its PostgreSQL server goes on. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** As by Ctrl-C. */
    @Override
    public void close() {
        process.destroy();
        process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
        log.toFile().deleteOnExit();
    }

    private String send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(log()).isEqualTo(200);
        return response.body();
    }

    private URI uri(String path) throws IOException {
        return URI.create("http://localhost:" + port() + path);
    }

    int port() throws IOException {
        Matcher port = PORT.matcher(log());
        assertThat(port.find()).as(log()).isTrue();
        return Integer.parseInt(port.group(1));
    }

    String log() throws IOException {
        return Files.readString(log);
    }
}
