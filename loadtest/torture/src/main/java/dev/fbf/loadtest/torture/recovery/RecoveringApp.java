package dev.fbf.loadtest.torture.recovery;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.process.FixedPorts;
import dev.fbf.loadtest.torture.recovery.RecoveryReport.Turn;
import dev.fbf.loadtest.torture.system.AppProcess;
import dev.fbf.loadtest.torture.system.AppProcess.Start;
import dev.fbf.loadtest.torture.system.Tables;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A contender's application, which runs only while it is its turn: an idle one beside it would be in the way. */
final class RecoveringApp implements AutoCloseable {

    static final String SCOPE = "page-views";

    private final Contender contender;
    private final Tables tables;
    private final int port = FixedPorts.free();
    private final AppProcess process;

    private RecoveringApp(Contender contender, List<String> properties, PostgresServer postgres, Path directory)
            throws IOException {
        this.contender = contender;
        tables = new Tables(postgres);
        List<String> arguments = new ArrayList<>(properties);
        arguments.add("--logging.level.dev.fbf.db.Settler=debug");
        process = new AppProcess(
                AppProcess.Command.ofApplication(List.of(), port, postgres.url(), files(directory), arguments)
                        .asking(contender.path(0)),
                directory,
                "app");
    }

    /** With a filter of the contender's size, if that is not the default, which is made first. */
    static RecoveringApp of(Contender contender, PostgresServer postgres, Path directory) throws IOException {
        if (!contender.isGuarded()) {
            return new RecoveringApp(
                    contender,
                    List.of("--fbf.enabled=false", "--torture.transactional=" + contender.transactional()),
                    postgres,
                    directory);
        }
        Path files = files(directory);
        List<String> properties = new ArrayList<>(List.of("--torture.counters=true", "--fbf.mode=" + contender.mode()));
        if (contender.filterMebibytes() > 0) {
            FilterFile file = FilterFile.make(files, SCOPE, contender.filterMebibytes());
            properties.add("--fbf.scopes[" + SCOPE + "].adaptation=none");
            properties.add("--fbf.scopes[" + SCOPE + "].expected-operations-per-second=" + file.operationsPerSecond());
        }
        return new RecoveringApp(contender, properties, postgres, directory);
    }

    private static Path files(Path directory) {
        return directory.resolve("fbf").toAbsolutePath();
    }

    Contender contender() {
        return contender;
    }

    /**
     * Starts the application, and kills it amid requests and starts it again, so many times.
     *
     * @throws IllegalStateException if it is ready and then refuses an operation that was under way at the kill
     */
    List<Turn> turns(int kills, Duration traffic) throws IOException, InterruptedException, SQLException {
        List<Turn> turns = new ArrayList<>();
        tables.forgetNodes(); // the other contenders', which are not running
        process.start();
        for (int kill = 0; kill < kills; kill++) {
            turns.add(turn(traffic));
        }
        process.kill();
        return turns;
    }

    private Turn turn(Duration traffic) throws IOException, InterruptedException {
        Callers callers = Callers.start(contender, port);
        TimeUnit.NANOSECONDS.sleep(traffic.toNanos());
        process.kill();
        List<HttpRequest> unanswered = callers.unanswered();
        long settledBefore = settled();
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        Start start = process.start();
        Duration processorTime = process.processorTime();
        requireResponses(callers, unanswered);
        return new Turn(
                contender.name(),
                seconds(start.firstResponse()),
                seconds(start.applied()),
                seconds(processorTime),
                start.refusedWhileReady(),
                unanswered.size(),
                Math.toIntExact(settled() - settledBefore),
                load);
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }

    /** Who was not answered tries again; none of them may be told to wait, for what was in doubt is settled. */
    private void requireResponses(Callers callers, List<HttpRequest> unanswered)
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
