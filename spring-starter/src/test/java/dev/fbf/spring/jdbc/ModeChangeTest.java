package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.db.FbfSchema;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.OperationUnavailableException;
import dev.fbf.spring.PostgresExtension;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.FileSystemUtils;

/** What UPGRADING.md says of a change of {@code fbf.mode}. */
@ExtendWith(PostgresExtension.class)
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
    void fromFilterToLedgerEntriesAreHeldBackForTheLedgerHasNone() {
        assertThat(count("node", "a", "filter")).isEqualTo("counted");
        assertThat(count("node", "a", "filter")).isEqualTo("counted before: a");

        assertThatExceptionOfType(OperationUnavailableException.class).isThrownBy(() -> count("node", "a", "ledger"));
        counted.forgetNodes(); // as an operator may who knows better
        assertThat(count("node", "a", "ledger")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void fromLedgerToFilterOperationsAreHeldBackForTheFilterHasNone() {
        assertThat(count("node", "a", "ledger")).isEqualTo("counted");
        assertThat(count("other", "a", "ledger")).isEqualTo("counted before: a");

        assertThatExceptionOfType(OperationUnavailableException.class).isThrownBy(() -> count("node", "a", "filter"));
        counted.forgetNodes();
        assertThat(count("node", "a", "filter")).isEqualTo("counted");
        assertThat(counted.value()).isEqualTo(2);
    }

    @Test
    void theModeOfOneScopeMayChangeAlone() {
        assertThat(count("node", "a", "filter")).isEqualTo("counted");

        assertThatExceptionOfType(OperationUnavailableException.class)
                .isThrownBy(() -> count("node", "b", "filter", "fbf.scopes.counter.mode=ledger"));
    }

    @Test
    void whatWasInDoubtInFilterModeIsHeldBackInLedgerModeAndSettledInItsOwn() throws Exception {
        try (CountingApp app = CountingApp.start(dataSource, directory.resolve("node"))) {
            app.counter.countAnd("a", () -> afterCommit(() -> copy("node", "died")));
        }

        assertThatExceptionOfType(OperationUnavailableException.class).isThrownBy(() -> count("died", "a", "ledger"));
        assertThat(count("died", "a", "filter")).isEqualTo("counted before: a");
        assertThat(counted.value()).isEqualTo(1);
    }

    private String count(String node, String key, String mode, String... properties) {
        String[] all = Stream.concat(Stream.of("fbf.mode=" + mode), Stream.of(properties))
                .toArray(String[]::new);
        try (CountingApp app = CountingApp.start(dataSource, directory.resolve(node), all)) {
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
