package dev.fbf.loadtest.torture.system;

import dev.fbf.loadtest.harness.postgres.PostgresServer;
import dev.fbf.loadtest.harness.process.ChildProcess;
import dev.fbf.loadtest.torture.app.TortureApplication;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An application in a JVM of its own, on a fixed port; killed and started again on the same directory. Thread-safe. */
public final class AppProcess implements AutoCloseable {

    /** The system property that tells an agent in the application where {@link #arm} writes. */
    static final String STEP_FILE = "torture.step.file";

    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration POLL = Duration.ofMillis(2);
    private static final int ANSWER_MILLIS = 1_000;

    /** The type of the problem that tells that operations wait for recovery. */
    private static final String RECOVERING = "tag:fbf.dev,2026:problem:recovering";

    private final Command command;
    private final Path log;
    private final Path stepFile;
    private volatile @Nullable ChildProcess process;
    private volatile boolean ready;

    /**
     * How an application is started.
     *
     * @param jvm options of the JVM, a {@code -javaagent} among them if there is one
     * @param readyPath what answers 200 to a GET once it is ready
     * @param operationPath what applies an operation at a POST; null if it is not to be asked to
     */
    public record Command(
            List<String> jvm,
            String mainClass,
            List<String> arguments,
            int port,
            String readyPath,
            @Nullable String operationPath) {

        /** That of the application under torture, which is asked for {@code /probes}. */
        public static Command ofApplication(
                List<String> jvm, int port, String databaseUrl, Path files, List<String> more) {
            List<String> arguments = new ArrayList<>(List.of(
                    "--server.address=127.0.0.1",
                    "--server.port=" + port,
                    "--spring.main.banner-mode=off",
                    "--spring.datasource.url=" + databaseUrl,
                    "--spring.datasource.username=" + PostgresServer.USER,
                    "--fbf.directory=" + files.toAbsolutePath()));
            arguments.addAll(more);
            return new Command(
                    jvm, TortureApplication.class.getName(), arguments, port, "/actuator/health/readiness", "/probes");
        }

        Command readyAt(String path) {
            return new Command(jvm, mainClass, arguments, port, path, operationPath);
        }

        /** With another operation, to which it responds when it has applied it. */
        public Command asking(String path) {
            return new Command(jvm, mainClass, arguments, port, readyPath, path);
        }

        List<String> line() {
            return ChildProcess.java(jvm, mainClass, arguments);
        }
    }

    public AppProcess(Command command, Path directory, String name) throws IOException {
        this.command = command;
        Files.createDirectories(directory);
        this.log = directory.resolve(name + ".log");
        this.stepFile = directory.resolve(name + ".step").toAbsolutePath();
        Files.deleteIfExists(log);
        Files.deleteIfExists(stepFile);
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
            long begin = System.nanoTime();
            ChildProcess launched = launch();
            process = launched;
            Start start = await(launched, begin, deadline);
            if (start != null) {
                return start;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the application ends again and again: see " + log);
            }
        }
    }

    /** Null if the process ends before. */
    private @Nullable Start await(ChildProcess launched, long begin, long deadline) throws InterruptedException {
        Duration firstResponse = null;
        Duration readyAfter = null;
        Duration appliedAfter = null;
        int refusedWhileReady = 0;
        while (launched.isAlive()) {
            String readiness = get();
            if (readiness != null && firstResponse == null) {
                firstResponse = since(begin);
            }
            boolean isReady = isOk(readiness);
            if (isReady && readyAfter == null) {
                readyAfter = since(begin);
                ready = true;
            }
            String operationPath = command.operationPath();
            if (operationPath == null) {
                appliedAfter = readyAfter;
            } else if (firstResponse != null && appliedAfter == null) {
                String operation = post(operationPath);
                if (isOk(operation)) {
                    appliedAfter = since(begin);
                } else if (isReady && operation != null && operation.contains(RECOVERING) && isOk(get())) {
                    refusedWhileReady++;
                }
            }
            if (firstResponse != null && readyAfter != null && appliedAfter != null) {
                return new Start(firstResponse, readyAfter, appliedAfter, refusedWhileReady);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "the application is not ready, or applies nothing, after " + START + ": see " + log);
            }
            TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
        }
        return null;
    }

    private static Duration since(long begin) {
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    private static boolean isOk(@Nullable String response) {
        return response != null && response.startsWith("HTTP/1.1 200");
    }

    private @Nullable String get() {
        return exchange("GET " + command.readyPath() + " HTTP/1.1\r\n");
    }

    /** Sends a new operation. */
    private @Nullable String post(String path) {
        return exchange("POST " + path + " HTTP/1.1\r\nIdempotency-Key: \"" + UUID.randomUUID()
                + "\"\r\nContent-Length: 0\r\n");
    }

    /** Null if there is no response in time. */
    private @Nullable String exchange(String head) {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(ANSWER_MILLIS);
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), command.port()), ANSWER_MILLIS);
            socket.getOutputStream()
                    .write((head + "Host: localhost\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            String response = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return response.isEmpty() ? null : response;
        } catch (IOException notYet) {
            return null;
        }
    }

    /** Its standard input is a pipe from here: when this JVM ends, however it does, the application sees the end of it. */
    private ChildProcess launch() throws IOException {
        List<String> jvm = new ArrayList<>(List.of("-D" + STEP_FILE + "=" + stepFile));
        jvm.addAll(command.jvm());
        return ChildProcess.logging(log, ChildProcess.java(jvm, command.mainClass(), command.arguments()));
    }

    /** What it has printed in all its lives. */
    public Path log() {
        return log;
    }

    /** Whether it was ready and has not ended since. */
    boolean isReady() {
        ChildProcess current = process;
        return ready && current != null && current.isAlive();
    }

    /** How much processor time it has used since it was started, all its threads together; zero if the machine does not tell. */
    public Duration processorTime() {
        ChildProcess current = process;
        return current == null ? Duration.ZERO : current.processorTime();
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
     * A start of an application, as its clients see it. All times are from the start of the process.
     *
     * @param ready until it said that it was ready
     * @param applied until it had applied an operation; if it was not asked to, the same as {@code ready}
     * @param refusedWhileReady how many operations it refused for what the process before it had left in doubt, though it said
     *     before and after that it was ready
     */
    public record Start(Duration firstResponse, Duration ready, Duration applied, int refusedWhileReady) {

        /**
         * Returns how long clients had to wait for their first operation.
         *
         * @return the time from the first response to the first applied operation
         */
        public Duration untilApplied() {
            return applied.minus(firstResponse);
        }
    }
}
