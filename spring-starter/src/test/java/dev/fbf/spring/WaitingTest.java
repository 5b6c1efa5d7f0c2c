package dev.fbf.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that waits for another one that is applying the same operation. */
@ExtendWith(PostgresExtension.class)
@Timeout(60)
class WaitingTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(Mode.class)
    void isAnsweredAsARetryWhenTheOtherHasAppliedIt(Mode mode, DataSource dataSource) throws Exception {
        try (CountingApp app = start(dataSource, Duration.ofSeconds(30), mode)) {
            Waiters waiters = app.bean(Waiters.class);
            Held held = app.bean(Held.class);
            CompletableFuture<String> first = hold(waiters);
            held.held.await();
            CompletableFuture<String> second = holdAndWait(waiters);
            held.released.countDown();

            assertThat(first.get()).isEqualTo("applied");
            assertThat(second.get()).isEqualTo("applied before");
            assertThat(held.calls).hasValue(1);
        }
    }

    @Test
    void appliesTheOperationItselfWhenTheOtherCouldNot(DataSource dataSource) throws Exception {
        try (CountingApp app = start(dataSource, Duration.ofSeconds(30), Mode.FILTER)) {
            Waiters waiters = app.bean(Waiters.class);
            Held held = app.bean(Held.class);
            held.failures.set(1);
            CompletableFuture<String> first = hold(waiters);
            held.held.await();
            CompletableFuture<String> second = holdAndWait(waiters);
            held.released.countDown();

            assertThat(first).failsWithin(Duration.ofSeconds(30));
            assertThat(second.get()).isEqualTo("applied");
            assertThat(held.calls).hasValue(2);
        }
    }

    @Test
    void isRefusedWhenTheOtherTakesTooLong(DataSource dataSource) throws Exception {
        try (CountingApp app = start(dataSource, Duration.ofMillis(30), Mode.FILTER)) {
            Waiters waiters = app.bean(Waiters.class);
            Held held = app.bean(Held.class);
            CompletableFuture<String> first = hold(waiters);
            held.held.await();

            assertThatExceptionOfType(OperationInProgressException.class).isThrownBy(() -> waiters.hold("key"));
            held.released.countDown();
            assertThat(first.get()).isEqualTo("applied");
        }
    }

    @Test
    void doesNotWaitForItself(DataSource dataSource) {
        try (CountingApp app = start(dataSource, Duration.ofHours(1), Mode.FILTER)) {
            Waiters waiters = app.bean(Waiters.class);
            Held held = app.bean(Held.class);

            assertThatExceptionOfType(OperationInProgressException.class)
                    .isThrownBy(() -> waiters.run("key", () -> waiters.run("key", () -> {})));
            assertThat(held.calls).hasValue(1);
        }
    }

    @Test
    void doesNotWaitWhenItIsInterrupted(DataSource dataSource) throws Exception {
        try (CountingApp app = start(dataSource, Duration.ofHours(1), Mode.FILTER)) {
            Waiters waiters = app.bean(Waiters.class);
            Held held = app.bean(Held.class);
            CompletableFuture<String> first = hold(waiters);
            held.held.await();

            Thread.currentThread().interrupt();
            assertThatExceptionOfType(OperationInProgressException.class).isThrownBy(() -> waiters.hold("key"));
            assertThat(Thread.interrupted()).isTrue();
            held.released.countDown();
            assertThat(first.get()).isEqualTo("applied");
        }
    }

    private static CompletableFuture<String> hold(Waiters waiters) {
        return hold(waiters, Thread::start);
    }

    /** Returns once the call waits, or has returned. */
    private static CompletableFuture<String> holdAndWait(Waiters waiters) {
        return hold(waiters, thread -> {
            thread.start();
            Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING || !thread.isAlive());
        });
    }

    private static CompletableFuture<String> hold(Waiters waiters, Consumer<Thread> start) {
        CompletableFuture<String> result = new CompletableFuture<>();
        start.accept(new Thread(() -> {
            try {
                result.complete(waiters.hold("key"));
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        }));
        return result;
    }

    private CountingApp start(DataSource dataSource, Duration timeout, Mode mode) {
        CountedTable.makeIn(dataSource);
        String[] properties = {"fbf.in-progress-timeout=" + timeout, "fbf.mode=" + mode};
        return CountingApp.start(directory, properties, context -> {
            CountingApp.addTo(context, dataSource);
            context.registerBean(Held.class);
            context.registerBean(Waiters.class);
        });
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

        @IdempotentIncrement(scope = "held", key = "#key", whenInProgress = WhenInProgress.WAIT, onDuplicate = "before")
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

        @IdempotentIncrement(scope = "run", key = "#key", whenInProgress = WhenInProgress.WAIT)
        void run(String key, Runnable inside) {
            held.calls.incrementAndGet();
            inside.run();
        }
    }
}
