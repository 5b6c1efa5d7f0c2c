package dev.fbf.loadtest.torture.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The processes of a server: the postmaster and all it has started. */
final class ServerProcesses {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(5);

    private ServerProcesses() {}

    /** Kills what an earlier run may have left behind on the data directory, and waits until it is gone. */
    static void killAnyOn(Path data) throws IOException {
        Path pidFile = data.resolve("postmaster.pid");
        if (Files.notExists(pidFile)) {
            return;
        }
        List<String> lines = Files.readAllLines(pidFile);
        Optional<ProcessHandle> postmaster = lines.isEmpty()
                ? Optional.empty()
                : ProcessHandle.of(Long.parseLong(lines.get(0).strip())).filter(process -> serves(data, process));
        postmaster.ifPresent(ServerProcesses::killAll);
        // otherwise some other process may have this pid by now, and PostgreSQL would take it for a server
        Files.deleteIfExists(pidFile);
    }

    private static boolean serves(Path data, ProcessHandle process) {
        ProcessHandle.Info info = process.info();
        return info.command().map(command -> command.endsWith("/postgres")).orElse(false)
                && info.arguments()
                        .map(arguments -> List.of(arguments).contains(data.toString()))
                        .orElse(false);
    }

    /** Kills the postmaster and its children with SIGKILL, and waits until they are gone. */
    static void killAll(ProcessHandle postmaster) {
        List<ProcessHandle> children = postmaster.descendants().toList();
        postmaster.destroyForcibly();
        // one that was started in between sees that the postmaster is gone, and ends
        List<ProcessHandle> all =
                Stream.concat(Stream.of(postmaster), children.stream()).toList();
        children.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(all);
    }

    static void awaitEnd(List<ProcessHandle> processes) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (processes.stream().anyMatch(ServerProcesses::isRunning)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("PostgreSQL's processes do not end: " + processes);
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    /** An ended process that nobody has reaped counts as alive, but has no command any more. */
    private static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }
}
