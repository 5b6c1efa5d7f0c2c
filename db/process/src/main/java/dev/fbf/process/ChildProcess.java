package dev.fbf.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process of another program. It is ended with this JVM, at the latest. Thread-safe. */
public final class ChildProcess implements AutoCloseable {

    private static final Duration SHORT = Duration.ofSeconds(10);
    private static final int LOG_TAIL = 40;

    private final String program;
    private final Process process;
    private final @Nullable Path log;
    private final Thread hook;

    private ChildProcess(
            List<String> command, @Nullable Path directory, Redirect output, @Nullable Path log, Duration grace)
            throws IOException {
        program = Path.of(command.get(0)).getFileName().toString();
        this.log = log;
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(output);
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        if (log == null) {
            builder.redirectError(Redirect.INHERIT);
        } else {
            builder.redirectErrorStream(true);
        }
        process = builder.start();
        hook = new Thread(() -> stop(grace), "end-" + program);
        Runtime.getRuntime().addShutdownHook(hook);
        CompletableFuture<Void> unused = process.onExit().thenRun(this::removeHook);
    }

    /** Starts a program that writes to the end of a log. */
    public static ChildProcess logging(Path log, List<String> command) throws IOException {
        return new ChildProcess(command, null, Redirect.appendTo(log.toFile()), log, Duration.ZERO);
    }

    /**
     * Starts a program that writes where this JVM does.
     *
     * @param directory its working directory
     * @param grace how long it has to end by itself when this JVM ends
     */
    public static ChildProcess inheriting(List<String> command, Path directory, Duration grace) throws IOException {
        return new ChildProcess(command, directory, Redirect.INHERIT, null, grace);
    }

    /** The command of a Java program on this JVM's class path. */
    public static List<String> java(List<String> jvm, String mainClass, List<String> arguments) {
        return java(jvm, System.getProperty("java.class.path"), mainClass, arguments);
    }

    public static List<String> java(List<String> jvm, String classPath, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(program("java")));
        command.addAll(jvm);
        command.addAll(List.of("-classpath", classPath, mainClass));
        command.addAll(arguments);
        return command;
    }

    /** A program of this JVM's JDK. */
    public static String program(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    /**
     * Runs a program to its end.
     *
     * @return what it said
     * @throws IOException if it cannot be run, fails or takes long
     */
    public static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!process.waitFor(SHORT.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + " takes long");
        }
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue() + ": " + said);
        }
        return said;
    }

    /**
     * Waits for a condition.
     *
     * @throws IllegalStateException if the process ends before, or it takes longer than the time
     */
    public <E extends Exception> void await(Duration time, Waiting.Condition<E> condition)
            throws E, InterruptedException {
        boolean isReady = Waiting.<E>until(
                () -> {
                    if (condition.holds()) {
                        return true;
                    }
                    if (!process.isAlive()) {
                        throw new IllegalStateException(program + " ended with " + process.exitValue() + logTail());
                    }
                    return false;
                },
                time);
        if (!isReady) {
            throw new IllegalStateException(program + " is not ready after " + time + logTail());
        }
    }

    private String logTail() {
        if (log == null) {
            return "";
        }
        try {
            List<String> lines = Files.readAllLines(log);
            List<String> tail = lines.subList(Math.max(0, lines.size() - LOG_TAIL), lines.size());
            return "; the end of " + log + ":\n" + String.join("\n", tail);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public ProcessHandle handle() {
        return process.toHandle();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The processor time that it has used, all its threads together; zero where the machine does not tell. */
    public Duration processorTime() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Waits until it has ended by itself; returns whether it did in time. */
    public boolean awaitEnd(Duration time) throws InterruptedException {
        return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Waits until it has ended by itself; returns its exit value. */
    public int awaitExit() throws InterruptedException {
        return process.waitFor();
    }

    /** Sends a signal that Java has no word for. */
    public void signal(String name) throws IOException, InterruptedException {
        try {
            signal(name, process.pid());
        } catch (IOException e) {
            if (process.isAlive()) {
                throw e;
            }
        }
    }

    public static void signal(String name, long pid) throws IOException, InterruptedException {
        output("kill", "-" + name, Long.toString(pid));
    }

    /** Asks it to end, and kills it if it does not in time. */
    public void stop(Duration time) {
        if (!time.isZero()) {
            process.toHandle().destroy(); // Process.destroy closes its input, too: an application halts there
            try {
                if (awaitEnd(time)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        kill();
    }

    /** Kills it with SIGKILL and waits until it is gone; returns its exit value. */
    public int kill() {
        return process.destroyForcibly().onExit().join().exitValue();
    }

    @Override
    public void close() {
        kill();
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException thisJvmEnds) {
            // the hook is at work
        }
    }
}
