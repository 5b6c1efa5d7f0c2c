package dev.fbf.spring.transaction;

import static dev.fbf.spring.RefusedCall.assertUnavailable;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

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
    void withNothingInProgressItStopsAtOnce() throws Exception {
        app.counter.count("a");

        app.guards.stop(() -> stopped.complete(true));

        assertThat(stopped.get(2, TimeUnit.SECONDS)).isTrue();
        assertThat(app.guards.isRunning()).isFalse();
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
    void itOpensNoScopeThatIsNewWhenItStops() {
        app.guards.stop(() -> stopped.complete(true));

        IdempotentScope late = app.bean(IdempotentOperations.class).scope("late");

        assertUnavailable(() -> late.execute(IdempotencyKey.of("a"), () -> {}))
                .withMessageContaining("the application is stopping");
        assertThat(app.status.all()).extracting(NodeStatus.OpenScope::name).doesNotContain("late");
    }

    @Test
    void itWaitsForTheCallersCommit() throws Exception {
        FutureTask<Boolean> caller = new FutureTask<>(() -> app.transaction.execute(status -> {
            app.counter.count("slow");
            counting.countDown();
            return mayEnd();
        }));
        new Thread(caller).start();
        counting.await();

        app.guards.stop(() -> stopped.complete(true));

        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> stopped.get(300, TimeUnit.MILLISECONDS));
        mayEnd.countDown();
        assertThat(stopped.get(5, TimeUnit.SECONDS)).isTrue();
        assertThat(caller.get()).isTrue();
    }

    @Test
    void itDoesNotWaitForTheDatabaseToTellWhatIsInDoubt() throws Exception {
        fragile.breakNextCommitAndCutOff(FragileDataSource.Fate.UNANSWERED);
        assertUnavailable(() -> app.counter.count("a"));

        app.guards.stop(() -> stopped.complete(true));

        assertThat(stopped.get(2, TimeUnit.SECONDS)).isTrue();
    }

    /** As containers of message listeners, schedulers and web servers do, each in a phase of its own. */
    @ParameterizedTest
    @ValueSource(ints = {SmartLifecycle.DEFAULT_PHASE, SmartLifecycle.DEFAULT_PHASE - 100, 0})
    void whatIsDrainedWhileItStopsIsApplied(int phase, DataSource dataSource, @TempDir Path another) {
        CountedTable counted = CountedTable.makeIn(dataSource);
        CountingApp draining = CountingApp.start(
                another, new String[] {"fbf.mode=" + mode, ConstantsOfTheTest.UNREGISTERED}, context -> {
                    CountingApp.addTo(context, dataSource);
                    context.registerBean(Listener.class, () -> new Listener(context.getBean(Counter.class), phase));
                });
        Counter counter = draining.counter;

        draining.close();

        assertThat(counted.value()).isEqualTo(1);
        assertUnavailable(() -> counter.count("after"));
    }

    @Test
    void startedAgainItTakesOperationsAgain() throws Exception {
        app.guards.stop(() -> stopped.complete(true));
        stopped.get(2, TimeUnit.SECONDS);

        app.guards.start();

        assertThat(app.guards.isRunning()).isTrue();
        assertThat(app.counter.count("a")).isEqualTo("counted");
    }

    @Test
    void destroyedItNoLongerWaits() throws Exception {
        Future<String> slow = countSlowly("slow");
        app.guards.stop(() -> stopped.complete(true));

        ((DisposableBean) app.guards).destroy();

        assertThat(stopped.get(2, TimeUnit.SECONDS)).isTrue();
        mayEnd.countDown();
        await().until(slow::isDone);
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

    /** Has a message left when it is stopped. */
    private static final class Listener implements SmartLifecycle {

        private final Counter counter;
        private final int phase;

        private boolean running;

        Listener(Counter counter, int phase) {
            this.counter = counter;
            this.phase = phase;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            counter.count("message");
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return phase;
        }
    }
}
