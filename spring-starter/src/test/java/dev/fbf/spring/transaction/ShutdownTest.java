package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.Mode;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** An application that stops takes no new operations and ends those that it has. */
@ExtendWith(PostgresExtension.class)
@ParameterizedClass
@EnumSource(Mode.class)
@Timeout(20)
@Tag("slow")
class ShutdownTest {

    private final Mode mode;

    @TempDir
    private Path directory;

    private final CountDownLatch counting = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();

    private FragileDataSource fragile;
    private CountingApp app;

    ShutdownTest(Mode mode) {
        this.mode = mode;
    }

    @BeforeEach
    void start(DataSource dataSource) {
        CountedTable.makeIn(dataSource);
        fragile = new FragileDataSource(dataSource);
        app = CountingApp.start(fragile, directory, "fbf.mode=" + mode, "test.settle-timeout=100ms");
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @Test
    void itRefusesNewOperationsAndWaitsForThoseInProgress() throws Exception {
        Future<String> slow = countSlowly("slow");

        app.guards.stop(() -> stopped.complete(true));

        assertUnavailable(() -> app.counter.count("new")).withMessageContaining("the application is stopping");
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stopped.get(300, TimeUnit.MILLISECONDS));
        assertThat(app.guards.isRunning()).isTrue();
        mayEnd.countDown();
        assertThat(slow.get()).isEqualTo("counted");
        assertThat(stopped.get(5, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void itDoesNotWaitForTheDatabaseToTellWhatIsInDoubt() throws Exception {
        fragile.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
        assertUnavailable(() -> app.counter.count("a"));

        app.guards.stop(() -> stopped.complete(true));

        assertThat(stopped.get(2, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void startedAgainItTakesOperationsAgain() throws Exception {
        app.guards.stop(() -> stopped.complete(true));
        stopped.get(2, TimeUnit.SECONDS);

        app.guards.start();

        assertThat(app.guards.isRunning()).isTrue();
        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    private Future<String> countSlowly(String key) throws InterruptedException {
        FutureTask<String> slow = new FutureTask<>(() -> app.counter.countAnd(key, () -> {
            counting.countDown();
            mayEnd();
        }));
        new Thread(slow).start();
        counting.await();
        return slow;
    }

    private boolean mayEnd() {
        try {
            return mayEnd.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
