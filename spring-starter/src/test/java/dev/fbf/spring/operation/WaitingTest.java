package dev.fbf.spring.operation;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.CountedTable;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationInProgressException;
import dev.fbf.spring.PostgresExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A call that waits for another one that is applying the same operation. */
@ExtendWith(PostgresExtension.class)
@Timeout(60)
class WaitingTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void isAnsweredAsARetryWhenTheOtherHasAppliedIt(Mode mode, DataSource dataSource) throws Exception {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofSeconds(30), mode)) {
            CompletableFuture<String> first = app.hold();
            CompletableFuture<String> second = app.holdAndWait();
            app.held.released.countDown();

            assertThat(first.get()).isEqualTo("applied");
            assertThat(second.get()).isEqualTo("applied before");
            assertThat(app.held.calls).hasValue(1);
        }
    }

    /** As a listener's batch does, which would be lost if it were refused at once. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void waitsInItsCallersTransactionToo(Mode mode, DataSource dataSource) throws Exception {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofSeconds(30), mode)) {
            CompletableFuture<String> first = app.hold();
            CompletableFuture<String> second = app.holdAndWait(() -> app.app.transaction.execute(status -> {
                try {
                    return app.waiters.hold("key");
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }));
            app.held.released.countDown();

            assertThat(first.get()).isEqualTo("applied");
            assertThat(second.get()).isEqualTo("applied before");
            assertThat(app.held.calls).hasValue(1);
        }
    }

    /** Both wait for each other, until the timeout ends that. */
    @Test
    void makesWayForTheOtherWhenThatNeedsWhatItsTransactionHasLocked(DataSource dataSource) throws Exception {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofMillis(300), Mode.FILTER)) {
            AtomicReference<CompletableFuture<String>> first = new AtomicReference<>();
            assertThatExceptionOfType(OperationInProgressException.class)
                    .isThrownBy(() -> app.app.transaction.executeWithoutResult(status -> {
                        app.app.counter.count("locks the row");
                        first.set(ConcurrentCall.start(() -> {
                            app.waiters.run("key", () -> {
                                app.held.held.countDown();
                                app.app.counter.count("needs the row");
                            });
                            return "applied";
                        }));
                        app.awaitHeld();
                        app.waiters.run("key", () -> {});
                    }));

            assertThat(requireNonNull(first.get()).get()).isEqualTo("applied");
            assertThat(app.app.counter.count("needs the row")).isEqualTo("counted before: needs the row");
        }
    }

    @Test
    void appliesTheOperationItselfWhenTheOtherCouldNot(DataSource dataSource) throws Exception {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofSeconds(30), Mode.FILTER)) {
            app.held.failures.set(1);
            CompletableFuture<String> first = app.hold();
            CompletableFuture<String> second = app.holdAndWait();
            app.held.released.countDown();

            assertThat(first).failsWithin(Duration.ofSeconds(30));
            assertThat(second.get()).isEqualTo("applied");
            assertThat(app.held.calls).hasValue(2);
        }
    }

    @Test
    void isRefusedWhenTheOtherTakesTooLong(DataSource dataSource) throws Exception {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofMillis(30), Mode.FILTER)) {
            CompletableFuture<String> first = app.hold();

            assertThatExceptionOfType(OperationInProgressException.class).isThrownBy(() -> app.waiters.hold("key"));
            app.held.released.countDown();
            assertThat(first.get()).isEqualTo("applied");
        }
    }

    @Test
    void doesNotWaitForItself(DataSource dataSource) {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofHours(1), Mode.FILTER)) {
            assertThatExceptionOfType(OperationInProgressException.class)
                    .isThrownBy(() -> app.waiters.run("key", () -> app.waiters.run("key", () -> {})));
            assertThat(app.held.calls).hasValue(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void doesNotWaitForAnOperationOfItsOwnTransactionWhoseWorkHasThrown(Mode mode, DataSource dataSource) {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofHours(1), mode)) {
            app.app.transaction.executeWithoutResult(status -> {
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> app.waiters.run("key", () -> {
                            throw new IllegalArgumentException("mine");
                        }));
                assertThatExceptionOfType(OperationInProgressException.class)
                        .isThrownBy(() -> app.waiters.run("key", () -> {}));
                status.setRollbackOnly();
            });

            app.waiters.run("key", () -> {});
            assertThat(app.held.calls).hasValue(2);
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void doesNotWaitForAnOperationOfItsThreadsSuspendedTransaction(Mode mode, DataSource dataSource) {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofHours(1), mode)) {
            TransactionTemplate requiresNew = app.app.newTransaction();
            requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

            app.app.transaction.executeWithoutResult(status -> {
                app.waiters.run("key", () -> {});
                assertThatExceptionOfType(OperationInProgressException.class)
                        .isThrownBy(() -> requiresNew.executeWithoutResult(inner -> app.waiters.run("key", () -> {})));
            });

            app.waiters.run("key", () -> {});
            assertThat(app.held.calls).hasValue(1);
        }
    }

    @Test
    void doesNotWaitWhenItIsInterrupted(DataSource dataSource) throws Exception {
        try (HeldApp app = new HeldApp(directory, dataSource, Duration.ofHours(1), Mode.FILTER)) {
            CompletableFuture<String> first = app.hold();

            Thread.currentThread().interrupt();
            assertThatExceptionOfType(OperationInProgressException.class).isThrownBy(() -> app.waiters.hold("key"));
            assertThat(Thread.interrupted()).isTrue();
            app.held.released.countDown();
            assertThat(first.get()).isEqualTo("applied");
        }
    }

    /** One whose calls are held until they are released, and a caller of it. */
    private static final class HeldApp implements AutoCloseable {

        final Waiters waiters;
        final Held held;

        private final CountingApp app;

        HeldApp(Path directory, DataSource dataSource, Duration timeout, Mode mode) {
            CountedTable.makeIn(dataSource);
            String[] properties = {"test.wait=" + timeout, "fbf.mode=" + mode};
            app = CountingApp.start(directory, properties, context -> {
                CountingApp.addTo(context, dataSource);
                context.registerBean(Held.class);
                context.registerBean(Waiters.class);
            });
            waiters = app.bean(Waiters.class);
            held = app.bean(Held.class);
        }

        /** Returns once the call is held. */
        CompletableFuture<String> hold() throws InterruptedException {
            CompletableFuture<String> result = ConcurrentCall.start(() -> waiters.hold("key"));
            held.held.await();
            return result;
        }

        /** Returns once the call waits, or has returned. */
        CompletableFuture<String> holdAndWait() {
            return holdAndWait(() -> waiters.hold("key"));
        }

        CompletableFuture<String> holdAndWait(Callable<String> call) {
            return ConcurrentCall.startAndAwaitWaiting(call);
        }

        void awaitHeld() {
            try {
                held.held.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {
            app.close();
        }
    }

    /** What tests and methods share. */
    static final class Held {

        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        final AtomicInteger failures = new AtomicInteger();
        final AtomicInteger calls = new AtomicInteger();
    }

    static class Waiters {

        private final Held held;

        Waiters(Held held) {
            this.held = held;
        }

        @IdempotentIncrement(scope = "held", key = "#key", waitInProgress = "${test.wait}", onDuplicate = "before")
        String hold(String key) throws InterruptedException {
            held.calls.incrementAndGet();
            held.held.countDown();
            held.released.await();
            if (held.failures.getAndDecrement() > 0) {
                throw new IllegalStateException("failed");
            }
            return "applied";
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name, with what its method is called with
        private String before(String key) {
            return "applied before";
        }

        @IdempotentIncrement(scope = "run", key = "#key", waitInProgress = "${test.wait}")
        void run(String key, Runnable inside) {
            held.calls.incrementAndGet();
            inside.run();
        }
    }
}
