package dev.fbf.loadtest.harness.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The processes of a server: the postmaster and all it has started. */
final class ServerProcesses {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(5);

    private ServerProcesses() {}

    /*
     * The postmaster may start a child between the look at its children and its own end. That child belongs to nobody then, and
     * holds the shared memory without which no other server starts on the directory. It is told by its working directory, which
     * every process of a server has in its data directory.
     */

    /** Kills all processes of a server with SIGKILL, a known postmaster first, and waits until they are gone. */
    static void killAll(@Nullable ProcessHandle postmaster, Path data) {
        List<ProcessHandle> known = Stream.ofNullable(postmaster)
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                .toList();
        known.forEach(ProcessHandle::destroyForcibly);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        List<ProcessHandle> others = workingIn(data);
        while (!others.isEmpty() || known.stream().anyMatch(ServerProcesses::isRunning)) {
            others.forEach(ProcessHandle::destroyForcibly);
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("PostgreSQL's processes do not end: " + known + others);
            }
            LockSupport.parkNanos(POLL.toNanos());
            others = workingIn(data);
        }
        try {
            // the next server does not start while a process has the pid in this file, even a zombie or another program
            Files.deleteIfExists(data.resolve("postmaster.pid"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where there is no {@code /proc}, none is found. */
    private static List<ProcessHandle> workingIn(Path data) {
        return ProcessHandle.allProcesses()
                .filter(process -> data.equals(workingDirectory(process)))
                .filter(process -> process.info()
                        .command()
                        .filter(command -> command.endsWith("/postgres"))
                        .isPresent())
                .toList();
    }

    private static @Nullable Path workingDirectory(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "cwd"));
        } catch (IOException | UnsupportedOperationException endedOrForbidden) {
            return null;
        }
    }

    /** An ended process that nobody has reaped counts as alive, but has no command any more. */
    private static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }
}
