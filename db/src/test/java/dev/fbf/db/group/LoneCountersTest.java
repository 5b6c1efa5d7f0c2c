package dev.fbf.db.group;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which counters are kept out of groups, and for how long. */
@Timeout(20)
class LoneCountersTest {

    private static final long DEADLINE = TimeUnit.MINUTES.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

    private final AtomicLong now = new AtomicLong(-5);
    private final LoneCounters lone = new LoneCounters(now::get);

    @Test
    void aCounterStaysAloneForASecondAfterItsLatestFailure() {
        turn("a").close();
        now.addAndGet(SECOND - 1);
        assertThat(lone.contains("a")).isTrue();
        turn("a").close();
        now.addAndGet(SECOND - 1);
        assertThat(lone.contains("a")).isTrue();

        now.incrementAndGet();

        assertThat(lone.contains("a")).isFalse();
    }

    @Test
    void onceAnAttemptHasSucceededNewIncrementsJoinGroupsThoughOthersStillWaitForTheirTurn() throws Exception {
        LoneCounters.Turn first = turn("a");
        FutureTask<LoneCounters.@Nullable Turn> second = awaitTurn();
        first.succeeded();

        first.close();

        assertThat(lone.contains("a")).isFalse();
        requireNonNull(second.get());
    }

    @Test
    void theIncrementsOfACounterTakeTurnsAndThoseOfAnotherDoNotWait() throws Exception {
        LoneCounters.Turn first = turn("a");
        FutureTask<LoneCounters.@Nullable Turn> second = awaitTurn();
        turn("b").close();
        assertThat(second).isNotDone();

        first.close();

        assertThat(second.get()).isNotNull();
    }

    @Test
    void aTurnAfterAFailureBeginsAfterAPause() {
        turn("a").close();

        assertThat(lone.await("a", now.get() + PAUSE)).isNull();
        assertThat(lone.await("a", now.get() + PAUSE + SECOND)).isNotNull();
    }

    @Test
    void aTurnHasItsCallersRemainingTimeAndAMillisecondAtLeast() {
        LoneCounters.Turn turn = turn("a");

        assertThat(turn.remaining()).isEqualTo(Duration.ofMinutes(1).plusNanos(5));
        now.set(DEADLINE);
        assertThat(turn.remaining()).isEqualTo(Duration.ofMillis(1));
    }

    private LoneCounters.Turn turn(String counter) {
        return requireNonNull(lone.await(counter, DEADLINE));
    }

    /** Of a thread that waits for it by now. */
    private FutureTask<LoneCounters.@Nullable Turn> awaitTurn() {
        FutureTask<LoneCounters.@Nullable Turn> turn = new FutureTask<>(() -> lone.await("a", DEADLINE));
        startAndAwaitWait(turn);
        return turn;
    }

    private static Thread startAndAwaitWait(Runnable caller) {
        Thread thread = new Thread(caller);
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(thread.isAlive()).isTrue();
        }
        return thread;
    }
}
