package dev.fbf.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final int KILLED = 128 + 9;
    private static final int TERMINATED = 128 + 15;

    @TempDir
    private Path directory;

    @Test
    void isAskedToEndBeforeItIsKilled() throws Exception {
        ChildProcess obedient = shell("exec sleep 60");
        obedient.stop(LONG);
        assertThat(obedient.awaitExit()).isEqualTo(TERMINATED);

        ChildProcess deaf = shell("trap '' TERM; touch " + directory.resolve("deaf") + "; while :; do sleep 1; done");
        deaf.await(LONG, () -> Files.exists(directory.resolve("deaf")));
        deaf.stop(Duration.ofMillis(50));
        assertThat(deaf.awaitExit()).isEqualTo(KILLED);
    }

    @Test
    void keepsItsInputUntilItHasEnded() throws Exception {
        Path begun = directory.resolve("begun");
        ChildProcess process = ChildProcess.logging(
                log(), ChildProcess.java(List.of(), Reader.class.getName(), List.of(begun.toString())));
        process.await(LONG, () -> Files.exists(begun));

        process.stop(LONG);

        assertThat(process.awaitExit()).isEqualTo(TERMINATED);
    }

    @Test
    void endsWithTheJvmThatStartedIt() throws Exception {
        Path pid = directory.resolve("pid");
        try (ChildProcess parent = ChildProcess.logging(
                log(), ChildProcess.java(List.of(), Parent.class.getName(), List.of(pid.toString())))) {
            parent.await(LONG, () -> Files.exists(pid) && !Files.readString(pid).isEmpty());
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(Files.readString(pid))).orElseThrow();
            assertThat(child.isAlive()).isTrue();

            parent.stop(LONG);

            child.onExit().get(LONG.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** A JVM that has a child and ends in order. */
    static final class Parent {

        private Parent() {}

        public static void main(String[] args) throws Exception {
            ChildProcess child = ChildProcess.inheriting(List.of("sleep", "60"), Path.of("."), Duration.ofSeconds(5));
            Files.writeString(Path.of(args[0]), Long.toString(child.handle().pid()));
            child.awaitExit();
        }
    }

    /** A JVM that takes its time to end in order, and halts at the end of its input. */
    static final class Reader {

        private Reader() {}

        public static void main(String[] args) throws Exception {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300))));
            Files.createFile(Path.of(args[0]));
            while (System.in.read() >= 0) {
                // until the end
            }
            Runtime.getRuntime().halt(2);
        }
    }

    private ChildProcess shell(String script) throws Exception {
        return ChildProcess.logging(log(), List.of("sh", "-c", script));
    }

    private Path log() {
        return directory.resolve("log");
    }
}
