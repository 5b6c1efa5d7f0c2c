package dev.fbf.loadtest.torture.system;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fbf.process.ChildProcess;
import dev.fbf.process.Http;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Programs that real systems have beside fbf, and signals to them. */
final class Tool {

    private Tool() {}

    /**
     * Finds a program; where there is none the test is skipped, unless {@code FBF_PROXIES_REQUIRED} is true.
     *
     * @return its path
     */
    static String find(String name) {
        return find(name, name);
    }

    /** The same, for a program of a package that has another name. */
    static String find(String name, String debianPackage) {
        List<Path> found = Stream.concat(
                        Stream.of(System.getenv("PATH").split(":", -1)), Stream.of("/usr/sbin", "/usr/local/sbin"))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .toList();
        if (found.isEmpty() && Boolean.parseBoolean(System.getenv("FBF_PROXIES_REQUIRED"))) {
            throw new IllegalStateException(name + " is not installed");
        }
        assumeTrue(!found.isEmpty(), () -> name + " is not installed (Debian: apt-get install " + debianPackage + ")");
        return found.get(0).toString();
    }

    /** Stops a PostgreSQL server with SIGSTOP: connections stay open, and no process responds on them. */
    static void freeze(ProcessHandle postmaster) throws IOException, InterruptedException {
        ChildProcess.signal("STOP", postmaster.pid()); // from here on it starts no others, and reaps none
        for (ProcessHandle child : postmaster.descendants().toList()) {
            ChildProcess.signal("STOP", child.pid());
        }
    }

    /** Lets its processes go on after {@link #freeze}. */
    static void thaw(ProcessHandle postmaster) throws IOException, InterruptedException {
        for (ProcessHandle child : postmaster.descendants().toList()) {
            ChildProcess.signal("CONT", child.pid());
        }
        ChildProcess.signal("CONT", postmaster.pid());
    }

    /** Starts HAProxy with a configuration that listens on a port. */
    static ChildProcess haproxy(int port, Path directory, String configuration)
            throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve("haproxy.cfg"), configuration);
        return start(port, directory.resolve("haproxy.log"), List.of(find("haproxy"), "-db", "-f", file.toString()));
    }

    /** Starts it in a process of its own, and waits until it listens. */
    static ChildProcess start(int port, Path log, List<String> command) throws IOException, InterruptedException {
        ChildProcess process = ChildProcess.logging(log, command);
        process.await(Duration.ofMinutes(1), () -> Http.listens(port));
        return process;
    }
}
