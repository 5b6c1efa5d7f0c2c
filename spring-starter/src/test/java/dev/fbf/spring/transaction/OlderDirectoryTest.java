package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.ProcessesTest;
import dev.fbf.spring.operation.StartException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.util.FileSystemUtils;

/** A directory or a database that is not the one it was: somebody restored, copied or deleted something. */
@ExtendWith(OutputCaptureExtension.class)
class OlderDirectoryTest extends ProcessesTest {

    /** The default. */
    private static final Duration WINDOW = Duration.ofMinutes(10);

    private JdbcClient jdbc;

    @BeforeEach
    void prepare() {
        jdbc = JdbcClient.create(dataSource);
    }

    @Test
    void nothingIsAppliedForAWindowWithAnEarlierCopyOfTheDirectory(CapturedOutput output) throws Exception {
        count("a");
        copy("now", "earlier");
        count("b");
        replace("now", "earlier");

        try (CountingApp app = startWith("now")) {
            assertHeldBack(app, "b", "new");
            assertThat(app.status.areReady()).isFalse();
        }
        assertThat(output)
                .contains("The directory of this node is older than the database")
                .doesNotContain("has forgotten commits");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void norWithAnEarlierCopyOfALiveProcess() throws Exception {
        try (CountingApp app = startWith("now")) {
            app.counter.count("a");
            copy("now", "earlier");
            app.counter.count("b");
            awaitABeat();
        }

        try (CountingApp app = startWith("earlier")) {
            assertHeldBack(app, "b", "new");
        }
    }

    /** Its name in the witness goes with that file: a new node begins, with rows of its own. */
    @Test
    void norWithoutTheFileOfTheClaimsAndTheDatabaseIsNotBlamed(CapturedOutput output) throws Exception {
        count("a");
        Files.delete(directory.resolve("now").resolve("fbf.claims"));

        try (CountingApp app = startWith("now")) {
            assertHeldBack(app, "a", "new");
            assertThat(app.status.lostCommits()).isEmpty();
        }
        assertThat(output).doesNotContain("has forgotten commits");
    }

    @Tag("slow")
    @Test
    void aCopyIsRefusedWhileTheOriginalIsInUse() throws Exception {
        count("a");
        copy("now", "copy");

        try (CountingApp original = startWith("now")) {
            assertThatExceptionOfType(StartException.class).isThrownBy(() -> startWith("copy"));
            assertThat(original.counter.count("b")).isEqualTo("counted");
        }
    }

    @Test
    void nothingIsAppliedForAWindowIfTheFilesOfAFilterAreMissing(CapturedOutput output) throws Exception {
        count("a");
        try (DirectoryStream<Path> filters = Files.newDirectoryStream(directory.resolve("now"), "*.fbf")) {
            for (Path filter : filters) {
                Files.delete(filter);
            }
        }

        try (CountingApp app = startWith("now")) {
            assertHeldBack(app, "a", "new");
        }
        assertThat(output).contains("The directory of this node is older than the database of scope ");
    }

    @Tag("slow")
    @Test
    void aDirectoryThatIsMovedOrStartedAgainApplies() throws Exception {
        count("a");
        copy("now", "elsewhere");

        try (CountingApp app = startWith("elsewhere")) {
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");
            assertThat(app.counter.count("b")).isEqualTo("counted");
        }
    }

    @Tag("slow")
    @Test
    void thatTheDatabaseWasRestoredIsNoticedWhileTheServerRuns(CapturedOutput output) {
        try (CountingApp app = startWith("now")) {
            app.counter.count("a");
            long earlier = beat();
            app.counter.count("b");
            awaitABeat();

            jdbc.sql("UPDATE fbf_lease SET beat = " + earlier).update();

            await().until(() -> !app.status.lostCommits().isEmpty());
            assertUnavailable(() -> app.counter.count("b"));
            assertThat(app.counter.count("new")).isEqualTo("counted");
        }
        assertThat(output).doesNotContain("is older than the database");
    }

    private void awaitABeat() {
        long now = beat();
        await().until(() -> beat() > now);
    }

    private long beat() {
        return jdbc.sql("SELECT beat FROM fbf_lease").query(Long.class).single();
    }

    private static void assertHeldBack(CountingApp app, String... keys) {
        for (String key : keys) {
            assertUnavailable(() -> app.counter.count(key)).satisfies(refused -> {
                assertThat(refused.reason()).isEqualTo(OperationOutcome.HELD_BACK);
                assertThat(refused.retryAfter()).isBetween(Duration.ofNanos(1), WINDOW);
            });
        }
    }

    private void count(String key) {
        try (CountingApp app = startWith("now")) {
            assertThat(app.counter.count(key)).isEqualTo("counted");
        }
    }

    private CountingApp startWith(String directory) {
        return start(directory, "test.renewal=100ms");
    }

    private void replace(String replaced, String by) throws Exception {
        FileSystemUtils.deleteRecursively(directory.resolve(replaced));
        copy(by, replaced);
    }
}
