package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountingApp;
import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Mode;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.transaction.ConstantsOfTheTest;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/** Each call of a guarded method is observed with its outcome. */
@ExtendWith(OutputCaptureExtension.class)
@GuardedApp(
        modes = Mode.FILTER,
        properties = {"test.settle-timeout=300ms", "fbf.max-claims=2"},
        beans = OperationObservationTest.Observations.class)
class OperationObservationTest extends CountingAppTest {

    private static final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private static final ObservationRegistry observations = ObservationRegistry.create();

    static {
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
    }

    @BeforeEach
    void forget() {
        meters.clear();
    }

    @Test
    void anOperationIsAppliedOnceAndReplayedAfterThat() {
        counter.count("a");
        counter.count("a");
        counter.count("a");

        assertThat(outcomes()).isEqualTo(Map.of("applied", 1L, "replayed", 2L));
    }

    @Test
    void whatFollowsItsCallersTransactionIsPending() {
        app.transaction.executeWithoutResult(transaction -> counter.count("a"));

        assertThat(outcomes()).isEqualTo(Map.of("pending", 1L));
    }

    @Test
    void whatTheMethodThrowsIsAFailureWithItsError() {
        assertThrows(() -> counter.countAnd("a", () -> {
            throw new IllegalStateException("mine");
        }));

        assertThat(outcomes()).isEqualTo(Map.of("failed", 1L));
        assertThat(meters.get("fbf.operation").timer().getId().getTag("error")).isEqualTo("IllegalStateException");
    }

    @Test
    void whatTheMethodRollsBackAndReturnsIsAFailureToo() throws Exception {
        counter.countAnd(
                "a", () -> TransactionInterceptor.currentTransactionStatus().setRollbackOnly());
        counter.count("a");

        assertThat(outcomes()).isEqualTo(Map.of("failed", 1L, "applied", 1L));
    }

    @Test
    void whatThereIsNoRoomForIsLoggedOnceHoweverOftenItComes(CapturedOutput output) throws Exception {
        CountDownLatch held = new CountDownLatch(2);
        CountDownLatch released = new CountDownLatch(1);
        List<Thread> holding = Stream.of("a", "b")
                .map(key -> new Thread(() -> hold(key, held, released)))
                .toList();
        holding.forEach(thread -> thread.setDaemon(true));
        holding.forEach(Thread::start);
        held.await();

        assertThrows(() -> counter.count("c"));
        assertThrows(() -> counter.count("d"));
        released.countDown();
        for (Thread thread : holding) {
            thread.join(); // their outcomes are not those of the next test
        }

        assertThat(outcomes()).containsEntry("no-room", 2L);
        assertThat(output).containsOnlyOnce("New operations are refused: 2 operations hold claims");
    }

    @Test
    void whatIsBeingAppliedIsInProgress() {
        assertThrows(() -> counter.countAnd("a", () -> counter.count("a")));

        assertThat(outcomes()).isEqualTo(Map.of("in-progress", 1L, "failed", 1L));
    }

    @Test
    void aRefusalOfAnotherCallIsAFailureOfTheBatchAroundIt() {
        IdempotentScope batches = app.bean(IdempotentOperations.class).scope("batches");

        assertThrows(() -> batches.executeAll(List.of("b"), IdempotencyKey::of, items -> counter.count(" ")));

        assertThat(outcomes()).isEqualTo(Map.of("key-invalid", 1L, "failed", 1L));
    }

    @Test
    void aKeyThatIsBlankIsRefusedAndOneThatIsOldIsTooOld() {
        assertThrows(() -> counter.count(" "));
        assertThrows(() -> counter.count(TimedKeys.uuid(Instant.now().plus(Duration.ofHours(1)))));
        assertThrows(() -> counter.count(TimedKeys.uuid(Instant.now().minus(Duration.ofHours(1)))));

        assertThat(outcomes()).isEqualTo(Map.of("key-invalid", 1L, "key-time", 1L, "key-too-old", 1L));
    }

    @Test
    void aCallWithoutAKeyIsKeyless() {
        counter.countWithoutKey(null, () -> {});

        assertThat(outcomes()).isEqualTo(Map.of("keyless", 1L));
    }

    @Test
    void aCallWithoutAKeyThatFailsIsAnErrorToo() {
        assertThrows(() -> counter.countWithoutKey(null, () -> {
            throw new IllegalStateException();
        }));

        assertThat(meters.get("fbf.operation").timer().getId().getTag("error")).isEqualTo("IllegalStateException");
        assertThat(outcomes()).isEqualTo(Map.of("keyless", 1L));
    }

    @Test
    void anApplicationIsToldThatItStops() {
        app.guards.stop();

        assertThrows(() -> counter.count("a"));

        assertThat(outcomes()).isEqualTo(Map.of("stopped", 1L));
        await().until(() -> !app.guards.isRunning());
        app.guards.start();
    }

    @Test
    void theConventionCanBeTheApplicationsOwn(@TempDir Path other) {
        OperationObservationContext.Convention own = new OperationObservationContext.Convention() {
            @Override
            public String getName() {
                return "mine";
            }

            @Override
            public KeyValues getLowCardinalityKeyValues(OperationObservationContext context) {
                return OperationObservationContext.Convention.super
                        .getLowCardinalityKeyValues(context)
                        .and("region", "eu");
            }
        };

        try (CountingApp its = CountingApp.start(other, new String[] {ConstantsOfTheTest.UNREGISTERED}, context -> {
            CountingApp.addTo(context, dataSource);
            context.register(Observations.class);
            context.registerBean(OperationObservationContext.Convention.class, () -> own);
        })) {
            its.counter.count("b");
        }

        assertThat(meters.get("mine")
                        .tags("scope", "counter", "region", "eu")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    private void hold(String key, CountDownLatch held, CountDownLatch released) {
        try {
            counter.passAnd(key, () -> {
                held.countDown();
                released.await();
            });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertThrows(ThrowingCallable call) {
        assertThatException().isThrownBy(call);
    }

    private Map<String, Long> outcomes() {
        Map<String, Long> counts = new TreeMap<>();
        for (Timer timer : meters.find("fbf.operation").timers()) {
            counts.merge(String.valueOf(timer.getId().getTag("outcome")), timer.count(), Long::sum);
        }
        return counts;
    }

    static class Observations {

        @Bean
        static ObservationRegistry observations() {
            return observations;
        }
    }
}
