package dev.fbf.spring.operation;

import static dev.fbf.spring.RefusedCall.assertInProgress;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fbf.spring.ConcurrentCall;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.method.CallerOfTheTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call that waits for another one that is applying the same operation. */
@GuardedApp(beans = WaitingTest.Waiters.class)
@Timeout(60)
class WaitingTest extends CountingAppTest {

    private final Waiters waiters = app.bean(Waiters.class);
    private final Held held = new Held();

    @BeforeEach
    void hold() {
        waiters.use(held);
    }

    @Test
    void isAnsweredAsARetryWhenTheOtherHasAppliedIt() throws Exception {
        CompletableFuture<String> first = holdOne();
        CompletableFuture<String> second = ConcurrentCall.startAndAwaitWaiting(() -> waiters.hold("key"));
        held.released.countDown();

        assertThat(first.get()).isEqualTo("applied");
        assertThat(second.get()).isEqualTo("applied before");
        assertThat(held.calls).hasValue(1);
    }

    /** Both wait for each other, until the timeout ends that. */
    @Test
    void makesWayForTheOtherWhenThatNeedsWhatItsTransactionHasLocked() throws Exception {
        AtomicReference<CompletableFuture<String>> first = new AtomicReference<>();
        assertInProgress(() -> app.transaction.executeWithoutResult(status -> {
            counter.count("locks the row");
            first.set(ConcurrentCall.start(() -> {
                waiters.run("key", () -> {
                    held.held.countDown();
                    counter.count("needs the row");
                });
                return "applied";
            }));
            await(held.held);
            waiters.runOrWaitBriefly("key", () -> {});
        }));

        assertThat(requireNonNull(first.get()).get()).isEqualTo("applied");
        assertThat(counter.count("needs the row")).isEqualTo("counted before: needs the row");
    }

    @Test
    void appliesTheOperationItselfWhenTheOtherCouldNot() throws Exception {
        held.failures.set(1);
        CompletableFuture<String> first = holdOne();
        CompletableFuture<String> second = ConcurrentCall.startAndAwaitWaiting(() -> waiters.hold("key"));
        held.released.countDown();

        assertThat(first).failsWithin(Duration.ofSeconds(30));
        assertThat(second.get()).isEqualTo("applied");
        assertThat(held.calls).hasValue(2);
    }

    @Test
    void isRefusedWhenTheOtherTakesTooLong() throws Exception {
        CompletableFuture<String> first = holdOne();

        assertInProgress(() -> waiters.holdOrWaitBriefly("key"));
        held.released.countDown();
        assertThat(first.get()).isEqualTo("applied");
    }

    @Test
    void doesNotWaitForItself() {
        assertInProgress(() -> waiters.run("key", () -> waiters.run("key", () -> {})));
        assertThat(held.calls).hasValue(1);
    }

    @Test
    void doesNotWaitForAnOperationOfItsThreadsSuspendedTransaction() {
        app.transaction.executeWithoutResult(status -> {
            waiters.run("key", () -> {});
            assertInProgress(() -> app.requiresNew().executeWithoutResult(inner -> waiters.run("key", () -> {})));
        });

        waiters.run("key", () -> {});
        assertThat(held.calls).hasValue(1);
    }

    /** Returns once the call is held. */
    private CompletableFuture<String> holdOne() {
        CompletableFuture<String> result = ConcurrentCall.start(() -> waiters.hold("key"));
        await(held.held);
        return result;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What a test and its calls share. */
    private static final class Held {
        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        final AtomicInteger failures = new AtomicInteger();
        final AtomicInteger calls = new AtomicInteger();
    }

    static class Waiters {

        private volatile Held held = new Held();

        void use(Held its) {
            held = its;
        }

        @IdempotentIncrement(scope = "held", key = "#key", caller = CallerOfTheTest.EXPRESSION, onDuplicate = "before")
        String hold(String key) {
            Held its = held;
            its.calls.incrementAndGet();
            its.held.countDown();
            await(its.released);
            if (its.failures.getAndDecrement() > 0) {
                throw new IllegalStateException("failed");
            }
            return "applied";
        }

        @IdempotentIncrement(
                scope = "held",
                key = "#key",
                caller = CallerOfTheTest.EXPRESSION,
                waitInProgress = "300ms",
                onDuplicate = "before")
        String holdOrWaitBriefly(String key) {
            return "applied";
        }

        @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // called by its name, with what its method is called with
        private String before(String key) {
            return "applied before";
        }

        @IdempotentIncrement(scope = "run", key = "#key", caller = CallerOfTheTest.EXPRESSION)
        void run(String key, Runnable inside) {
            held.calls.incrementAndGet();
            inside.run();
        }

        @IdempotentIncrement(scope = "run", key = "#key", caller = CallerOfTheTest.EXPRESSION, waitInProgress = "300ms")
        void runOrWaitBriefly(String key, Runnable inside) {
            inside.run();
        }
    }
}
