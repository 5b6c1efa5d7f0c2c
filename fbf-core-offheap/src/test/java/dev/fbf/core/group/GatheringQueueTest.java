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
        while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
    }
}
