package dev.fbf.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class GatheringQueueTest {

    private final GatheringQueue<String> queue = new GatheringQueue<>();
    private final AtomicReference<Boolean> awaited = new AtomicReference<>();
    private final Thread thread = new Thread(() -> {
        try {
            awaited.set(queue.awaitSome());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    });

    @Test
    void aClosedQueueEndsAfterTheCallerThatLeads() throws InterruptedException {
        lead();
        queue.close();
        startAndAwaitWaiting();

        assertThat(awaited).as("while a caller leads").hasNullValue();
        assertThat(queue.add("late")).isFalse();

        queue.endLead();
        thread.join();
        assertThat(awaited).hasValue(false);
        assertThat(queue.tryLead()).as("after the close").isFalse();
    }

    @Test
    void theThreadTakesWhatCameWhileACallerLed() throws InterruptedException {
        lead();
        queue.add("waits");
        startAndAwaitWaiting();

        assertThat(awaited).as("while a caller leads").hasNullValue();

        queue.endLead();
        thread.join();
        assertThat(awaited).hasValue(true);
        assertThat(queue.tryLead()).as("while the thread is busy").isFalse();
    }

    @Test
    void theThreadGathersAsManyAsTheLastGroupHad() throws InterruptedException {
        queue.ended(2, Long.MAX_VALUE); // which allows it to gather for decades
        startAndAwaitWaiting();

        assertThat(queue.add("first")).isTrue();
        awaitState(Thread.State.TIMED_WAITING);
        assertThat(awaited).as("with the first of two").hasNullValue();
        assertThat(queue.size()).isEqualTo(1);
        queue.add("second");

        thread.join();
        assertThat(awaited).hasValue(true);
    }

    @Test
    void theThreadGathersForAnEighthOfTheLastGroupsDurationAtMost() throws InterruptedException {
        queue.ended(2, 7);
        startAndAwaitWaiting();

        queue.add("first");

        thread.join();
        assertThat(awaited).hasValue(true);
    }

    /** The queue is led only if its thread is idle. */
    private void lead() throws InterruptedException {
        Thread idle = new Thread(() -> {
            try {
                queue.awaitSome();
            } catch (InterruptedException e) {
                // the lead has begun
            }
        });
        idle.start();
        while (!queue.tryLead()) {
            Thread.onSpinWait();
        }
        idle.interrupt();
        idle.join();
    }

    /** Returns when the thread waits, or has ended. */
    private void startAndAwaitWaiting() {
        thread.start();
        awaitState(Thread.State.WAITING);
    }

    private void awaitState(Thread.State state) {
        while (thread.getState() != state
                && thread.isAlive()
                && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }
}
