package dev.fbf.loadtest.torture.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.db.FbfSchema;
import dev.fbf.loadtest.harness.postgres.SharedServer;
import dev.fbf.loadtest.torture.agent.FilePoints;
import dev.fbf.loadtest.torture.agent.TortureAgent;
import dev.fbf.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process that is killed while it makes the files of its directory: the lock, the claims, the tokens, the filters and the
 * mode. The next one comes up with what it has left, and counts exactly.
 */
class KilledStartTest {

    private static final int OPERATIONS = 3;
    private static final int SAMPLE = 3;
    private static final List<String> SCOPE = List.of("views");
    private static final List<String> SCOPES = List.of("views", "likes");

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @TempDir
    private Path directory;

    @BeforeEach
    void migrate() {
        FbfSchema.migrate(Start.dataSource(SERVER.get().url()), null);
    }

    @Tag("slow")
    @Test
    void theNextOneCountsExactlyAfterADeathAtSomeMoments() throws Exception {
        int moments = moments(OPERATIONS);
        for (int part = 1; part <= SAMPLE; part++) {
            dies(part * moments / SAMPLE, OPERATIONS);
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(ints = {0, OPERATIONS})
    void theNextOneCountsExactlyWhereverItDies(int before) throws Exception {
        int moments = moments(before);
        for (int moment = 1; moment <= moments; moment++) {
            dies(moment, before);
        }
    }

    /** How many moments there are in a start that does not die. */
    private int moments(int before) throws Exception {
        List<String> printed = run(Integer.MAX_VALUE, before, 0);
        int moments = Integer.parseInt(printed.get(printed.size() - 1));
        assertThat(moments).isGreaterThan(40);
        return moments;
    }

    private void dies(int moment, int before) throws Exception {
        run(moment, before, FilePoints.KILLED);
    }

    /**
     * Has a process killed at a moment, and starts again twice.
     *
     * @param before how many operations the process before has applied; with none, there was no process before
     * @param exit the exit code that is expected
     * @return the lines that the process has printed
     */
    private List<String> run(int moment, int before, int exit) throws Exception {
        String when = before + "-" + moment;
        Start start = new Start(directory.resolve(when), SERVER.get().url(), when);
        if (before > 0) {
            start.count(before, SCOPE);
        }

        List<String> printed = child(start, moment, exit);

        start.count(2 * OPERATIONS, SCOPES);
        start.count(2 * OPERATIONS, SCOPES);
        assertThat(SERVER.get().number("SELECT value FROM fbf_counter WHERE name = '" + when + "'"))
                .as(when)
                .isEqualTo(2L * OPERATIONS * SCOPES.size());
        return printed;
    }

    /** Another process that starts the same, with one more scope, and is killed at a moment. */
    private List<String> child(Start start, int moment, int exit) throws IOException, InterruptedException {
        List<String> jvm = new ArrayList<>(TortureAgent.options(directory, ""));
        jvm.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-D" + FilePoints.PROPERTY + "=" + moment));
        List<String> arguments = List.of(
                start.directory().toString(),
                start.url(),
                start.counter(),
                Integer.toString(OPERATIONS),
                String.join(",", SCOPES));
        Path log = directory.resolve(start.counter() + ".log");
        int code = ChildProcess.logging(log, ChildProcess.java(jvm, Start.class.getName(), arguments))
                .awaitExit();
        assertThat(code).as(start.counter() + ": " + Files.readString(log)).isEqualTo(exit);
        return Files.readAllLines(log);
    }
}
