package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

import dev.fbf.spring.CountedTable;
import dev.fbf.spring.Counter;
import dev.fbf.spring.CountingApp;
import dev.fbf.spring.FragileDataSource;
import dev.fbf.spring.IdempotentIncrement;
import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.PostgresExtension;
import dev.fbf.spring.TimedKeys;
import dev.fbf.spring.jdbc.ConstantsOfTheTest;
import dev.fbf.spring.method.CallerOfTheTest;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/** Each call of a guarded method is observed with its outcome. */
@ExtendWith({PostgresExtension.class, OutputCaptureExtension.class})
class OperationObservationTest {

    private static final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private static final ObservationRegistry observations = ObservationRegistry.create();

    private static FragileDataSource fragile;
    private static CountingApp app;
    private static Counter counter;

    @BeforeAll
    static void observe(DataSource dataSource, @TempDir Path directory) {
        fragile = new FragileDataSource(dataSource);
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        app = start(directory, null);
        counter = app.counter;
    }

    @BeforeEach
    void begin(DataSource dataSource) {
        CountedTable.makeIn(dataSource);
        meters.clear();
    }

    @AfterAll
    static void stop() {
        app.close();
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
    void whatCommitsInATransactionOfItsOwnIsAppliedWhateverBecomesOfTheCallers() {
        app.transaction.executeWithoutResult(transaction -> {
            counter.countInNewTransaction("a");
            transaction.setRollbackOnly();
        });

        assertThat(outcomes()).isEqualTo(Map.of("applied", 1L));
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
    void aCommitThatCannotBeSettledInTimeIsInDoubtAndSoIsItsRetry() {
        fragile.breakNextCommitAndCutOff(FragileDataSource.Fate.LOST);

        assertThrows(() -> counter.count("a"));
        assertThrows(() -> counter.count("a"));

        assertThat(outcomes()).isEqualTo(Map.of("in-doubt", 2L));
        fragile.reconnect();
        await().until(() -> app.status.inDoubt().isEmpty());
    }

    @Test
    void aCommitThatIsSettledInTimeIsApplied() {
        fragile.breakNextCommit(FragileDataSource.Fate.UNANSWERED);

        counter.count("a");

        assertThat(outcomes()).isEqualTo(Map.of("applied", 1L));
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
        assertThat(output).containsOnlyOnce("New operations are refused: 2 are being applied or in doubt");
    }

    @Test
    void whatIsBeingAppliedIsInProgress() {
        assertThrows(() -> counter.countAnd("a", () -> counter.count("a")));

        assertThat(outcomes()).isEqualTo(Map.of("in-progress", 1L, "failed", 1L));
    }

    @Test
    void aSecondUseOfTheKeyInItsTransactionIsReplayed() {
        app.transaction.executeWithoutResult(status -> {
            counter.count("a");
            counter.count("a");
        });

        assertThat(outcomes()).isEqualTo(Map.of("replayed", 1L, "pending", 1L));
    }

    @Test
    void aDatabaseOutOfReachIsUnreachable() {
        fragile.cutOff();
        assertThrows(() -> counter.count("a"));
        assertThrows(() -> counter.countTransactionally("a"));
        fragile.reconnect();

        assertThat(outcomes()).isEqualTo(Map.of("unreachable", 2L));
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
        app.bean(OptionalKey.class).pass(null);

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
    void tagsTellTheScopeAndTheOutcomeAndNeverTheKey() {
        counter.count("a-key-of-its-own");
        counter.count("a-key-of-its-own");

        assertThat(meters.getMeters())
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(meter.getId().getTags())
                        .extracting(Tag::getKey)
                        .isSubsetOf(Set.of("scope", "outcome", "error")))
                .allSatisfy(meter -> assertThat(meter.getId().toString()).doesNotContain("a-key-of-its-own"));
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

        try (CountingApp its = start(other, own, ConstantsOfTheTest.UNREGISTERED)) {
            its.counter.count("b");
        }

        assertThat(meters.get("mine")
                        .tags("scope", "counter", "region", "eu")
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    private static CountingApp start(
            Path directory, OperationObservationContext.@Nullable Convention convention, String... more) {
        String[] properties = Stream.concat(Stream.of("test.settle-timeout=300ms", "fbf.max-claims=2"), Stream.of(more))
                .toArray(String[]::new);
        return CountingApp.start(directory, properties, context -> {
            CountingApp.addTo(context, fragile);
            CallerOfTheTest.addTo(context);
            context.registerBean(OptionalKey.class, OptionalKey::new);
            context.registerBean(ObservationRegistry.class, () -> observations);
            if (convention != null) {
                context.registerBean(OperationObservationContext.Convention.class, () -> convention);
            }
        });
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

    static class OptionalKey {

        @IdempotentIncrement(scope = "optional", key = "#key", caller = CallerOfTheTest.EXPRESSION, keyRequired = false)
        void pass(@Nullable String key) {}
    }
}
