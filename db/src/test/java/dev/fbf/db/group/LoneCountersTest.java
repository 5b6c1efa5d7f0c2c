package dev.fbf.db.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which counters are kept out of groups, and for how long. */
@Timeout(20)
class LoneCountersTest {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong now = new AtomicLong(-5);
    private final LoneCounters lone = new LoneCounters(now::get);

    @Test
    void aCounterStaysAloneForASecondAfterItsLatestFailure() {
        fail("a");
        now.addAndGet(SECOND - 1);
        assertThat(lone.contains("a")).isTrue();
        fail("a");
        now.addAndGet(SECOND - 1);
        assertThat(lone.contains("a")).isTrue();

        now.incrementAndGet();

        assertThat(lone.contains("a")).isFalse();
    }

    @Test
    void afterAFailedGroupACounterIsAloneUntilAnAttemptHasSucceeded() {
        lone.suspect("a");
        now.addAndGet(MINUTE);
        assertThat(lone.contains("a")).isTrue();
        assertThat(lone.contains("b")).isFalse();

        assertThat(lone.awaitTurn("a", MINUTE)).isTrue();
        assertThat(lone.contains("a")).isTrue();
        lone.endTurn("a", true);

        assertThat(lone.contains("a")).isFalse();
    }

    @Test
    void theIncrementsOfACounterTakeTurnsAndThoseOfAnotherDoNotWait() throws Exception {
        assertThat(lone.awaitTurn("a", MINUTE)).isTrue();
        FutureTask<Boolean> second = new FutureTask<>(() -> lone.awaitTurn("a", MINUTE));
        Thread thread = new Thread(second);
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(thread.isAlive()).isTrue();
        }
        fail("b");
        assertThat(second).isNotDone();

        lone.endTurn("a", true);

        assertThat(second.get()).isTrue();
    }

    private void fail(String counter) {
        assertThat(lone.awaitTurn(counter, MINUTE)).isTrue();
        lone.endTurn(counter, false);
    }
}
