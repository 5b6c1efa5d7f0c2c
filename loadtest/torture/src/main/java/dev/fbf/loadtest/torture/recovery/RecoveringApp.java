package dev.fbf.loadtest.torture.recovery;

import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.loadtest.torture.postgres.FixedPorts;
import dev.fbf.loadtest.torture.postgres.PostgresServer;
import dev.fbf.loadtest.torture.system.AppProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A contender's application, which runs only while it is its turn: an idle one beside it would be in the way. */
final class RecoveringApp implements AutoCloseable {

    static final String SCOPE = "page-views";

    private final Contender contender;
    private final int port = FixedPorts.free();
    private final AppProcess process;

    private RecoveringApp(Contender contender, List<String> properties, PostgresServer postgres, Path directory)
            throws IOException {
        this.contender = contender;
        List<String> arguments = new ArrayList<>(List.of(
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--spring.main.banner-mode=off",
                "--spring.datasource.url=" + PostgresServer.url(postgres.port()),
                "--spring.datasource.username=postgres",
                "--logging.level.dev.fbf.db.Settler=debug"));
        arguments.addAll(properties);
        process = new AppProcess(
                new AppProcess.Command(List.of(), TortureApplication.class.getName(), arguments, port, "/readiness"),
                directory,
                "app");
    }

    static RecoveringApp withoutFbf(PostgresServer postgres, Path directory) throws IOException {
        return new RecoveringApp(Contender.withoutFbf(), List.of("--fbf.enabled=false"), postgres, directory);
    }

    /** With a filter of at least that size, which is made first. */
    static RecoveringApp withFilter(int mebibytes, PostgresServer postgres, Path directory) throws IOException {
        FilterFile file = FilterFile.make(directory.resolve("fbf"), SCOPE, mebibytes);
        return new RecoveringApp(
                new Contender("filter of " + mebibytes + " MiB", file.plan().bytes(), file.elements()),
                List.of(
                        "--fbf.directory=" + file.directory().toAbsolutePath(),
                        "--fbf.adaptation=" + FilterFile.ADAPTATION,
                        "--fbf.expected-operations-per-second=" + file.operationsPerSecond()),
                postgres,
                directory);
    }

    Contender contender() {
        return contender;
    }

    /**
     * Starts the application, kills it amid requests, and starts it again.
     *
     * @param traffic for how long it gets requests before it is killed
     * @throws IllegalStateException if it says that it is ready and then refuses an operation
     */
    Turn turn(Duration traffic) throws IOException, InterruptedException {
        process.start();
        Callers callers = Callers.start(port);
        TimeUnit.NANOSECONDS.sleep(traffic.toNanos());
        process.kill();
        List<HttpRequest> unanswered = callers.unanswered();
        long settledBefore = settled();
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        Duration time = process.start();
        Duration processorTime = process.processorTime();
        requireAnswers(callers, unanswered);
        int settled = Math.toIntExact(settled() - settledBefore);
        process.kill();
        return new Turn(
                contender.name(),
                time.toNanos() / 1e9,
                processorTime.toNanos() / 1e9,
                unanswered.size(),
                settled,
                load);
    }

    /** Who was not answered tries again; none of them may be told to wait, for what was in doubt is settled. */
    private void requireAnswers(Callers callers, List<HttpRequest> unanswered)
            throws IOException, InterruptedException {
        for (HttpRequest request : unanswered) {
            int status = callers.status(request);
            if (status != 200) {
                throw new IllegalStateException(contender.name() + " is ready and answers " + status);
            }
        }
    }

    private long settled() throws IOException {
        try (Stream<String> lines = Files.lines(process.log())) {
            return lines.filter(line -> line.contains(" was in doubt: settled as "))
                    .count();
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
