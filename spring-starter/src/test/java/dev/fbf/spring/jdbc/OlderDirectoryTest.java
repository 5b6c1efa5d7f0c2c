package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.jdbc.FbfAutoConfiguration.NodeRenewal;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.FileSystemUtils;

/** A directory or a database that is not the one it was: somebody restored, copied or deleted something. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class OlderDirectoryTest {

    /** The default. */
    private static final Duration WINDOW = Duration.ofMinutes(10);

    @TempDir
    private Path temporary;

    private DataSource dataSource;
    private JdbcClient jdbc;
    private CountedTable counted;

    @BeforeEach
    void count(DataSource postgres) {
        dataSource = postgres;
        jdbc = JdbcClient.create(postgres);
        counted = CountedTable.makeIn(postgres);
    }

    @ParameterizedTest(name = "durability={0}")
    @ValueSource(strings = {"process", "host"})
    void nothingIsAppliedForAWindowWithAnEarlierCopyOfTheDirectory(String durability, CapturedOutput output)
            throws IOException {
        count("a", durability);
        copy("now", "earlier");
        count("b", durability);
        replace("now", "earlier");

        try (CountingApp app = start("now", durability)) {
            assertHeldBack(app, "b", "new");
            assertThat(app.status.areReady()).isFalse();
        }
        assertThat(output)
                .contains("The directory of this node is older than the database")
                .doesNotContain("has forgotten commits");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void norWithAnEarlierCopyOfALiveProcess() throws IOException {
        try (CountingApp app = start("now", "process")) {
            app.counter.count("a");
            copy("now", "earlier");
            app.counter.count("b");
        }

        try (CountingApp app = start("earlier", "process")) {
            assertHeldBack(app, "b", "new");
        }
    }

    /** Its name in the witness goes with that file: a new node begins, with rows of its own. */
    @Test
    void norWithoutTheFileOfTheClaimsAndTheDatabaseIsNotBlamed(CapturedOutput output) throws IOException {
        count("a", "process");
        Files.delete(temporary.resolve("now").resolve("fbf.claims"));

        try (CountingApp app = start("now", "process")) {
            assertHeldBack(app, "a", "new");
            assertThat(app.status.lostCommits()).isEmpty();
        }
        assertThat(output).doesNotContain("has forgotten commits");
    }

    @Tag("slow")
    @Test
    void aCopyIsRefusedWhileTheOriginalIsInUse() throws IOException {
        count("a", "process");
        copy("now", "copy");

        try (CountingApp original = start("now", "process")) {
            assertThatExceptionOfType(OtherNodeException.class).isThrownBy(() -> start("copy", "process"));
            assertThat(original.counter.count("b")).isEqualTo("counted");
        }
    }

    @Test
    void nothingIsAppliedForAWindowIfTheFilesOfAFilterAreMissing(CapturedOutput output) throws IOException {
        count("a", "process");
        try (DirectoryStream<Path> filters = Files.newDirectoryStream(temporary.resolve("now"), "*.fbf")) {
            for (Path filter : filters) {
                Files.delete(filter);
            }
        }

        try (CountingApp app = start("now", "process")) {
            assertHeldBack(app, "a", "new");
        }
        assertThat(output)
                .containsPattern("The filter of scope \\S+ lacks the operation \\S+, which was applied: a file ");
    }

    @Tag("slow")
    @Test
    void aDirectoryThatIsMovedOrStartedAgainApplies() throws IOException {
        count("a", "process");
        copy("now", "elsewhere");

        try (CountingApp app = start("elsewhere", "process")) {
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(app.counter.count("b")).isEqualTo("counted");
        }
    }

    @Tag("slow")
    @Test
    void thatTheDatabaseWasRestoredIsNoticedWhileTheServerRuns(CapturedOutput output) {
        try (CountingApp app = start("now", "process")) {
            app.counter.count("a");
            jdbc.sql("CREATE TABLE dumped AS SELECT * FROM fbf_witness").update();
            app.counter.count("b");

            jdbc.sql("UPDATE fbf_witness SET token = dumped.token FROM dumped WHERE dumped.node = fbf_witness.node"
                            + " AND dumped.slot = fbf_witness.slot")
                    .update();

            await().until(() -> !app.status.lostCommits().isEmpty());
            assertThatExceptionOfType(OperationUnavailableException.class).isThrownBy(() -> app.counter.count("b"));
            assertThat(app.counter.count("new")).isEqualTo("counted");
        } finally {
            jdbc.sql("DROP TABLE dumped").update();
        }
        assertThat(output).doesNotContain("is older than the database");
    }

    private static void assertHeldBack(CountingApp app, String... keys) {
        for (String key : keys) {
            assertThatExceptionOfType(OperationUnavailableException.class)
                    .isThrownBy(() -> app.counter.count(key))
                    .satisfies(refused -> {
                        assertThat(refused.reason()).isEqualTo(OperationOutcome.HELD_BACK);
                        assertThat(refused.retryAfter()).isBetween(Duration.ofNanos(1), WINDOW);
                    });
        }
    }

    private void count(String key, String durability) {
        try (CountingApp app = start("now", durability)) {
            assertThat(app.counter.count(key)).isEqualTo("counted");
        }
    }

    private CountingApp start(String directory, String durability) {
        return CountingApp.start(
                temporary.resolve(directory), new String[] {"fbf.durability=" + durability}, context -> {
                    CountingApp.addTo(context, dataSource);
                    context.registerBean(NodeRenewal.class, () -> new NodeRenewal(Duration.ofMillis(100)));
                });
    }

    private void copy(String from, String to) throws IOException {
        FileSystemUtils.copyRecursively(temporary.resolve(from), temporary.resolve(to));
    }

    private void replace(String directory, String by) throws IOException {
        FileSystemUtils.deleteRecursively(temporary.resolve(directory));
        copy(by, directory);
    }
}
