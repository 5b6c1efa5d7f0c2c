package dev.fbf.sample.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server that outlived its application, as it does when the application is killed. Two servers on one data
 * directory would destroy it, so the old one has to be gone before a new one starts.
 *
 * <p>Only the holder of the {@link DataDirectory} may look for one: to anybody else, a server at work looks the same.
 */
final class LeftBehindServer {

    private static final Logger log = LoggerFactory.getLogger(LeftBehindServer.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(20);

    private final ProcessHandle postmaster;

    private LeftBehindServer(ProcessHandle postmaster) {
        this.postmaster = postmaster;
    }

    /** Stops the server that still runs on the data directory, if there is one, and waits until it is gone. */
    static void stopAnyIn(Path dataDirectory) throws IOException {
        Path pidFile = dataDirectory.resolve("postmaster.pid");
        if (Files.notExists(pidFile)) {
            return;
        }
        Optional<ProcessHandle> postmaster =
                pidIn(pidFile).flatMap(ProcessHandle::of).filter(process -> isServerOf(dataDirectory, process));
        if (postmaster.isPresent()) {
            new LeftBehindServer(postmaster.get()).stop();
            log.info(
                    "Stopped the PostgreSQL server with pid {}, left behind on {}",
                    postmaster.get().pid(),
                    dataDirectory);
        } else {
            // some other process may have this pid by now, and PostgreSQL would take that for a server and refuse to
            // start
            Files.deleteIfExists(pidFile);
        }
    }

    private static Optional<Long> pidIn(Path pidFile) throws IOException {
        List<String> lines = Files.readAllLines(pidFile);
        return lines.isEmpty()
                ? Optional.empty()
                : Optional.of(Long.valueOf(lines.get(0).strip()));
    }

    private static boolean isServerOf(Path dataDirectory, ProcessHandle process) {
        ProcessHandle.Info info = process.info();
        boolean isPostgres = info.command()
                .map(command -> Path.of(command).getFileName().toString().startsWith("postgres"))
                .orElse(false);
        // Windows does not tell the arguments: there the pid file's word has to do
        return isPostgres
                && info.arguments()
                        .map(arguments -> Arrays.asList(arguments).contains(dataDirectory.toString()))
                        .orElse(true);
    }

    private void stop() {
        List<ProcessHandle> family =
                Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
        postmaster.destroy();
        if (!areGone(family)) {
            // the write-ahead log makes up for it at the next start
            postmaster.destroyForcibly();
            if (!areGone(family)) {
                throw new IllegalStateException(
                        "The PostgreSQL server with pid " + postmaster.pid() + " does not stop: stop it by hand");
            }
        }
    }

    private static boolean areGone(List<ProcessHandle> processes) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (processes.stream().anyMatch(LeftBehindServer::isRunning)) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
        return true;
    }

    /** An ended process that its parent has not reaped counts as alive still, but has no command any more. */
    private static boolean isRunning(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }
}
