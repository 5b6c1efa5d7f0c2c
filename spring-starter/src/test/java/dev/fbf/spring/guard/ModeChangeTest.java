package dev.fbf.spring.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.OperationRefusedException;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.PostgresExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.FileSystemUtils;

/** What UPGRADING.md says of a change of {@code fbf.mode}. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
@Tag("slow")
class ModeChangeTest {

    @TempDir
    private Path directory;

    private CountedTable counted;
    private DataSource dataSource;

    @BeforeEach
    void count(DataSource postgres) {
        dataSource = postgres;
        counted = CountedTable.makeIn(postgres);
        FbfSchema.migrate(postgres);
    }

    @Test
    void fromFilterToLedgerARetryIsAppliedAgainAndTheChangeWarnedOf(CapturedOutput output) {
        assertThat(count("node", "a", "filter")).isEqualTo("counted");
        assertThat(count("node", "a", "filter")).isEqualTo("counted before: a");
        assertThat(output).doesNotContain("fbf.mode was");

        assertThat(count("node", "a", "ledger")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(2);
        assertThat(output)
                .containsOnlyOnce("fbf.mode was filter in " + directory.resolve("node") + ", and is ledger now");
    }

    @Test
    void fromLedgerToFilterOperationsAreHeldBackForARetryIsKnownWhereItWasAppliedAndNowhereElse(CapturedOutput output) {
        assertThat(count("node", "a", "ledger")).isEqualTo("counted");
        assertThat(count("other", "a", "ledger")).isEqualTo("counted before: a");
        assertThat(count("third", "b", "ledger")).isEqualTo("counted");

        assertThatExceptionOfType(OperationUnavailableException.class).isThrownBy(() -> count("node", "a", "filter"));
        counted.forgetNodes(); // as an operator may who knows better
        assertThat(count("node", "a", "filter")).isEqualTo("counted before: a");
        assertThat(output)
                .containsOnlyOnce("fbf.mode was ledger in " + directory.resolve("node") + ", and is filter now");
        counted.forgetNodes();
        assertThat(count("third", "a", "filter")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(3);
    }

    /** A version before 1.0.0 could leave it so on a full disk. */
    @ParameterizedTest
    @ValueSource(strings = {"", "fil"})
    void aDamagedFileOfTheModeIsWarnedOfOnceAndWrittenAnew(String damaged, CapturedOutput output) throws IOException {
        count("node", "a", "filter");
        Path file = directory.resolve("node").resolve("fbf.mode");
        Files.writeString(file, damaged);

        count("node", "a", "filter");
        count("node", "a", "filter");

        assertThat(output).containsOnlyOnce("The file " + file + " is damaged").doesNotContain("fbf.mode was");
        assertThat(file).hasContent("filter");
    }

    @Test
    void aChangeIsWarnedOfOnce(CapturedOutput output) {
        count("node", "a", "filter");
        count("node", "a", "ledger");
        count("node", "a", "ledger");

        assertThat(output).containsOnlyOnce("fbf.mode was");
    }

    @Test
    void whatWasInDoubtInFilterModeIsRefusedInLedgerModeAndSettledOnlyInItsOwn() throws Exception {
        try (CountingApp app = CountingApp.start(dataSource, directory.resolve("node"))) {
            app.counter.countAnd("a", () -> afterCommit(() -> copy("node", "died")));
        }

        assertThat(count("died", "b", "ledger")).isEqualTo("counted");
        assertThatExceptionOfType(OperationRefusedException.class).isThrownBy(() -> count("died", "a", "ledger"));
        assertThat(count("died", "a", "filter")).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(2);
    }

    private String count(String node, String key, String mode) {
        try (CountingApp app = CountingApp.start(dataSource, directory.resolve(node), "fbf.mode=" + mode)) {
            return app.counter.count(key);
        }
    }

    private void copy(String from, String to) {
        try {
            FileSystemUtils.copyRecursively(directory.resolve(from), directory.resolve(to));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }
}
