package dev.fbf.spring.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import dev.fbf.spring.CountingAppTest;
import dev.fbf.spring.GuardedApp;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.Mode;
import dev.fbf.spring.TimedKeys;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
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
    void aCallWithoutAKeyThatFailsIsAnErrorToo() {
        assertThrows(() -> counter.countWithoutKey(null, () -> {
            throw new IllegalStateException();
        }));

        assertThat(meters.get("fbf.operation").timer().getId().getTag("error")).isEqualTo("IllegalStateException");
        assertThat(outcomes()).isEqualTo(Map.of("keyless", 1L));
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
