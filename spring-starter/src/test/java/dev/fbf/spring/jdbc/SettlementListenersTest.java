package dev.fbf.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fbf.core.claim.ScopeClaims;
import dev.fbf.db.Arbiter;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Listeners for settlements of COMMITs without a response. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class SettlementListenersTest {

    @TempDir
    private Path directory;

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(Mode.class)
    void oneThatThrowsKeepsNobodyFromTheOutcome(Mode mode, DataSource dataSource, CapturedOutput output) {
        CountedTable counted = CountedTable.makeIn(dataSource);
        FragileDataSource fragile = new FragileDataSource(dataSource);
        Queue<Duration> told = new ConcurrentLinkedQueue<>();
        try (CountingApp app = CountingApp.start(fragile, directory, "fbf.mode=" + mode)) {
            listen(app, took -> {
                throw new IllegalStateException("mine");
            });
            listen(app, told::add);
            fragile.breakNextCommit(FragileDataSource.Fate.UNANSWERED);
            assertThat(app.counter.count("a")).isEqualTo("counted");
            assertThat(app.counter.count("a")).isEqualTo("counted before: a");

            await().until(() -> told.size() == 1);
        }
        assertThat(counted.value()).isEqualTo(1);
        assertThat(output)
                .contains("A settlement listener", "has thrown: java.lang.IllegalStateException: mine")
                .doesNotContain("does not respond");
    }

    private static void listen(CountingApp app, Consumer<Duration> listener) {
        app.status.watch(new NodeStatus.Watcher() {
            @Override
            public void openedScope(ScopeClaims guard) {}

            @Override
            public void openedDatabase(String name, Arbiter arbiter) {
                arbiter.onSettled(listener);
            }
        });
    }
}
