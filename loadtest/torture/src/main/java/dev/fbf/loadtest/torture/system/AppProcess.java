package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.torture.app.TortureApplication;
import dev.fbf.process.ChildProcess;
import dev.fbf.process.Http;
import dev.fbf.process.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An application in a JVM of its own, on a fixed port; killed and started again on the same directory. Thread-safe. */
public final class AppProcess implements AutoCloseable {

    /** The system property that tells an agent in the application where {@link #arm} writes. */
    private static final String STEP_FILE = "torture.step.file";

    /** So small that several run beside each other. */
    private static final List<String> SMALL = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m");

    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(2);
    private static final Duration RESPONSE = Duration.ofSeconds(1);

    /** The type of the problem that tells that operations wait for recovery. */
    private static final String RECOVERING = "tag:fbf.dev,2026:problem:recovering";

    private final int port;
    private final Path log;
    private final Path stepFile;
    private final List<String> command;
    private volatile @Nullable ChildProcess process;
    private volatile boolean ready;

    /**
     * An application of Spring Boot that is not running yet.
     *
     * @param log to whose end it writes; beside it is the file that {@link #arm} writes
     * @param jvm more options of the JVM, a {@code -javaagent} among them if there is one
     */
    AppProcess(Class<?> main, int port, Path log, List<String> jvm, List<String> more) throws IOException {
        this.port = port;
        this.log = log;
        Files.createDirectories(log.toAbsolutePath().resolveSibling(""));
        stepFile = log.resolveSibling(log.getFileName() + ".step").toAbsolutePath();
        disarm();
        List<String> options = new ArrayList<>(SMALL);
        options.add("-D" + STEP_FILE + "=" + stepFile);
        options.addAll(jvm);
        List<String> arguments = new ArrayList<>(
                List.of("--server.address=127.0.0.1", "--server.port=" + port, "--spring.main.banner-mode=off"));
        arguments.addAll(more);
        command = ChildProcess.java(options, main.getName(), arguments);
    }

    /**
     * The application under torture, on a database and on files of its own.
     *
     * @param more of its arguments, as in {@code --fbf.mode=ledger}
     */
    public static AppProcess of(int port, Path log, List<String> jvm, String databaseUrl, Path files, List<String> more)
            throws IOException {
        return new AppProcess(
                TortureApplication.class, port, log, jvm, onDatabase(databaseUrl, PostgresServer.USER, files, more));
    }

    /** Arguments of an application on a database and on files of its own. */
    static List<String> onDatabase(String url, String user, Path files, List<String> more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.datasource.url=" + url,
                "--spring.datasource.username=" + user,
                "--fbf.directory=" + files.toAbsolutePath()));
        arguments.addAll(more);
        return arguments;
    }

    /** Started by another program, as in {@code env NAME=value}, which it replaces. */
    AppProcess startedBy(List<String> launcher) {
        command.addAll(0, launcher);
        return this;
    }

    /**
     * Starts the application, and waits until it is ready and has applied an operation. One that ends before that, as it does
     * without a database, is started again.
     *
     * @return the start of the process that became ready
     * @throws IllegalStateException if none becomes ready in time
     */
    public Start start() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START.toNanos();
        while (true) {
            disarm();
            Start start = await(launch(), deadline);
            if (start != null) {
                return start;
            }
            failAfter(deadline);
        }
    }

    /**
     * Begins to start it. Its standard input is a pipe from here: when this JVM ends, however it does, the application sees the
     * end of it.
     */
    ChildProcess launch() throws IOException {
        ready = false;
        ChildProcess launched = ChildProcess.logging(log, command);
        process = launched;
        return launched;
    }

    /** Null if the process ends before. */
    private @Nullable Start await(ChildProcess launched, long deadline) throws InterruptedException {
        long firstResponse = 0;
        Duration untilApplied = null;
        int refusedWhileReady = 0;
        while (launched.isAlive()) {
            int readiness = firstResponse == 0 && !Http.listens(port) ? 0 : readiness();
            if (readiness != 0 && firstResponse == 0) {
                firstResponse = System.nanoTime();
            }
            ready |= readiness == 200;
            if (firstResponse != 0 && untilApplied == null) {
                HttpRequest probe = Http.post(port, "/probes", UUID.randomUUID().toString());
                HttpResponse<String> response = Http.exchange(probe, RESPONSE).orElse(null);
                if (response != null && response.statusCode() == 200) {
                    untilApplied = Duration.ofNanos(System.nanoTime() - firstResponse);
                } else if (readiness == 200
                        && response != null
                        && response.body().contains(RECOVERING)
                        && readiness() == 200) {
                    refusedWhileReady++;
                }
            }
            if (ready && untilApplied != null) {
                return new Start(untilApplied, refusedWhileReady);
            }
            failAfter(deadline);
            Waiting.sleep(POLL);
        }
        return null;
    }

    private void failAfter(long deadline) {
        if (System.nanoTime() - deadline > 0) {
            throw new IllegalStateException(
                    "the application is not ready, or applies nothing, after " + START + ": see " + log);
        }
    }

    /** The status of its readiness; 0 as long as it does not respond. */
    int readiness() throws InterruptedException {
        return Http.status(Http.get(port, "/actuator/health/readiness"), RESPONSE);
    }

    public int port() {
        return port;
    }

    Path log() {
        return log;
    }

    /** How many lines there are of some kind in what it has printed in all its lives. */
    public long logged(Predicate<String> line) {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether it was ready and has not ended since. */
    boolean isReady() {
        ChildProcess current = process;
        return ready && current != null && current.isAlive();
    }

    /** Kills it with SIGKILL, and waits until it is gone. */
    public void kill() {
        ready = false;
        ChildProcess current = process;
        if (current != null) {
            current.kill();
        }
    }

    /**
     * Tells the agent in the application to kill it at the next step of that name. The file appears with its content, once.
     *
     * @param step as the agent knows it
     */
    void arm(String step) throws IOException {
        Path written = Files.writeString(stepFile.resolveSibling(stepFile.getFileName() + ".new"), step);
        Files.move(written, stepFile, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Takes back what {@link #arm} told, if it has not happened. */
    void disarm() throws IOException {
        Files.deleteIfExists(stepFile);
    }

    /** Waits until it has ended by itself or by its agent; returns whether it did in time. */
    boolean awaitEnd(Duration time) throws InterruptedException {
        ChildProcess current = process;
        boolean ended = current == null || current.awaitEnd(time);
        ready &= !ended;
        return ended;
    }

    /** Kills it: to stop it in order is no part of this. */
    @Override
    public void close() {
        kill();
    }

    /**
     * A start of an application, as its clients see it.
     *
     * @param untilApplied how long they had to wait for their first operation: from the first response to the first applied operation
     * @param refusedWhileReady how many operations it refused for what the process before it had left in doubt, though it said
     *     before and after that it was ready
     */
    public record Start(Duration untilApplied, int refusedWhileReady) {}
}
