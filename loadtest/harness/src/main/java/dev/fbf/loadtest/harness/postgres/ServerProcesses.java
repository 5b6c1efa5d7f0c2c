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

    private static final String PID_FILE = "postmaster.pid";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(5);

    private ServerProcesses() {}

    /*
     * The postmaster may start a child between the look at its children and its own end. That child belongs to nobody then, and
     * holds the shared memory without which no other server starts on the directory. It is told by its working directory, which
     * every process of a server has in its data directory.
     */

    /** Kills what an earlier run may have left behind on the data directory, and waits until it is gone. */
    static void killAnyOn(Path data) throws IOException {
        Path pidFile = data.resolve(PID_FILE);
        if (Files.exists(pidFile)) {
            List<String> lines = Files.readAllLines(pidFile);
            if (!lines.isEmpty()) {
                ProcessHandle.of(Long.parseLong(lines.get(0).strip()))
                        .filter(process -> serves(data, process))
                        .ifPresent(postmaster -> killAll(postmaster, data));
            }
        }
        awaitEnd(List.of(), data);
    }

    private static boolean serves(Path data, ProcessHandle process) {
        return isPostgres(process)
                && process.info()
                        .arguments()
                        .map(arguments -> List.of(arguments).contains(data.toString()))
                        .orElse(false);
    }

    private static boolean isPostgres(ProcessHandle process) {
        return process.info()
                .command()
                .map(command -> command.endsWith("/postgres"))
                .orElse(false);
    }

    /** Kills the postmaster and all that serves its data directory with SIGKILL, and waits until it is gone. */
    static void killAll(ProcessHandle postmaster, Path data) {
        List<ProcessHandle> children = postmaster.descendants().toList();
        postmaster.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(Stream.concat(Stream.of(postmaster), children.stream()).toList(), data);
    }

    private static void awaitEnd(List<ProcessHandle> killed, Path data) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            List<ProcessHandle> orphans = workingIn(data);
            orphans.forEach(ProcessHandle::destroyForcibly);
            if (orphans.isEmpty() && killed.stream().noneMatch(ServerProcesses::isRunning)) {
                deletePidFile(data);
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("PostgreSQL's processes do not end: " + killed + orphans);
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    /** The next server would take who has this pid for one: another process by now, or one that nobody has reaped. */
    private static void deletePidFile(Path data) {
        try {
            Files.deleteIfExists(data.resolve(PID_FILE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where there is no {@code /proc}, none is found. */
    private static List<ProcessHandle> workingIn(Path data) {
        return ProcessHandle.allProcesses()
                .filter(process -> data.equals(workingDirectory(process)))
                .filter(ServerProcesses::isPostgres)
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
