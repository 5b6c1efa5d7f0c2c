package dev.fbf.loadtest;

import dev.fbf.loadtest.harness.Settings;
import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.FixedPorts;
import dev.fbf.process.Http;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The sample app, started from its jar as a user would start it: a process of its own, with no JVM flags but those asked for. */
final class SampleApp implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration STOP = Duration.ofSeconds(40);
    private static final Duration RESPONSE = Duration.ofSeconds(2);

    private final ChildProcess process;
    private final int port;

    private SampleApp(ChildProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts the app that this repository builds, on a run's database; returns once it answers.
     *
     * @param properties as in {@code fbf.mode=ledger}
     */
    static SampleApp start(Settings settings, Database database, String... properties)
            throws IOException, InterruptedException {
        Path directory = settings.directory();
        int port = FixedPorts.free();
        Path log = directory.resolve("sample-app-" + port + ".log");
        // never an earlier run's: with the same seed come the same keys, and each would be a replay
        Path memory = Files.createTempDirectory(directory, "fbf-");
        List<String> command = new ArrayList<>(List.of(ChildProcess.program("java")));
        command.addAll(settings.words("app-jvm"));
        command.addAll(List.of(
                "-jar",
                settings.inRepository("sample-app/target/fbf-sample-app-exec.jar")
                        .toString(),
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--spring.datasource.url=" + database.server().url(),
                "--spring.datasource.username=" + PostgresServer.USER,
                "--spring.datasource.password=",
                "--fbf.directory=" + memory));
        Stream.of(properties).map("--"::concat).forEach(command::add);
        ChildProcess process = ChildProcess.logging(log, command);
        SampleApp app = new SampleApp(process, port);
        try {
            HttpRequest request = Http.get(port, "/faults");
            process.await(START, () -> Http.status(request, RESPONSE) == 200);
        } catch (Throwable e) {
            app.close();
            throw e;
        }
        return app;
    }

    int port() {
        return port;
    }

    ProcessHandle process() {
        return process.handle();
    }

    /** Stops it in order. */
    @Override
    public void close() {
        process.stop(STOP);
    }
}
