package dev.fbf.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import dev.fbf.core.claim.Claim;
import dev.fbf.core.claim.Claims;
import dev.fbf.core.claim.Refusal;
import dev.fbf.core.plan.FilterSizing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** The thread of a lane, when what commits its groups fails. */
@Timeout(30)
class LaneThreadTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Logger logger = (Logger) LoggerFactory.getLogger(LaneThread.class);

    private final Claims claims = new Claims(100, applied -> {});
    private final AtomicInteger restored = new AtomicInteger();
    private final Scripted lane = new Scripted();
    private LaneThread thread;
    private int keys;

    /** Commits groups, unless it is told to fail. */
    private static final class Scripted extends Lane {

        private final List<RuntimeException> atRestore = new ArrayList<>();
        private volatile @Nullable RuntimeException atRefresh;
        private volatile @Nullable Throwable atCommit;
        private volatile CountDownLatch gate = new CountDownLatch(0);
        private final CountDownLatch committing = new CountDownLatch(1);

        /** Asks no table. */
        @SuppressWarnings("NullAway")
        Scripted() {
            super(0, new LaneSettings("test", FilterSizing.DEFAULT.plan()), null, null, 0);
        }

        @Override
        void restore() {
            if (!atRestore.isEmpty()) {
                throw atRestore.remove(0);
            }
        }

        @Override
        void refresh() {
            RuntimeException e = atRefresh;
            if (e != null) {
                throw e;
            }
        }

        @Override
        @Nullable Throwable commit(List<LaneIncrement> group) throws InterruptedException {
            committing.countDown();
            gate.await();
            Throwable e = atCommit;
            group.forEach(increment -> {
                if (e == null) {
                    increment.applied(Map.of("page", 1L));
                } else {
                    increment.refused(Refusal.TIMEOUT, e);
                }
            });
            return e;
        }

        @Override
        void fail(List<LaneIncrement> group, Throwable e) {
            group.forEach(increment -> increment.refused(Refusal.IN_DOUBT, e));
        }
    }

    /** These tests fail lanes on purpose. */
    @BeforeAll
    static void silence() {
        logger.setLevel(Level.OFF);
    }

    @AfterAll
    static void logAgain() {
        logger.setLevel(null);
    }

    @BeforeEach
    void create() {
        thread = new LaneThread("test", 0, lane, () -> (size, waited, took) -> {}, restored::incrementAndGet);
    }

    @AfterEach
    void end() throws InterruptedException {
        lane.gate = new CountDownLatch(0);
        thread.close();
        thread.interrupt();
        thread.awaitEnd(TIMEOUT);
    }

    private LaneIncrement add() {
        Claim claim = (Claim) claims.take(Callers.id("key" + keys++), "test", Duration.ofMinutes(1), null);
        LaneIncrement increment = new LaneIncrement(new GroupBlob.Entry(claim.id(), null), claim, Map.of("page", 1L));
        assertThat(thread.apply(increment, TIMEOUT)).isTrue();
        return increment;
    }

    @Test
    void aWindowThatCannotBeReadIsReadAgain() {
        lane.atRestore.add(new DriverTimeoutException("of a node"));
        lane.atRestore.add(new IllegalStateException("of fbf"));

        thread.start();

        assertThat(add().values()).isEqualTo(Map.of("page", 1L));
        assertThat(restored).hasValue(1);
        assertThat(thread.failure()).isNull();
    }

    @Test
    void anErrorIsTheLanesFailureUntilAGroupIsCommittedAgain() {
        thread.start();
        lane.atCommit = new DriverTimeoutException("of all nodes");

        assertThat(add().refusal()).isEqualTo(Refusal.TIMEOUT);
        assertThat(add().reason()).isEqualTo(lane.atCommit);
        assertThat(thread.failure()).isEqualTo(lane.atCommit);

        lane.atCommit = null;
        assertThat(add().values()).isNotNull();
        assertThat(add().values()).isNotNull();
        assertThat(thread.failure()).isNull();
    }

    @Test
    void aRoundThatFailsBeforeItHasAGroupEndsThoseThatWait() {
        lane.atRefresh = new IllegalStateException("no refresh");
        thread.start();

        LaneIncrement increment = add();

        assertThat(increment.refusal()).isEqualTo(Refusal.IN_DOUBT);
        assertThat(increment.reason()).isEqualTo(lane.atRefresh);
        assertThat(claims.held()).isZero();
        lane.atRefresh = null;
        assertThat(add().values()).isNotNull();
    }

    @Test
    void whoeverWaitsWhenTheThreadIsEndedIsToldSo() throws Exception {
        lane.gate = new CountDownLatch(1);
        thread.start();
        CompletableFuture<LaneIncrement> first = CompletableFuture.supplyAsync(this::add);
        lane.committing.await();
        CompletableFuture<LaneIncrement> waiting = CompletableFuture.supplyAsync(this::add);
        while (thread.waiting() == 0 && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }

        thread.interrupt();

        assertThat(first.get().refusal()).isEqualTo(Refusal.IN_DOUBT);
        assertThat(waiting.get().refusal()).isEqualTo(Refusal.STOPPED);
        assertThat(claims.held()).isZero();
    }
}
