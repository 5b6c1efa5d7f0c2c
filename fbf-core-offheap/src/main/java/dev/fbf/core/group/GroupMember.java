package dev.fbf.core.group;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An operation that is committed in a group, from its caller's request to its outcome. The caller waits for its end, up to a timeout.
 * Thread-safe.
 */
public abstract class GroupMember {

    /** QUEUED -> TAKEN | ABANDONED, TAKEN -> ALONE | LEFT. */
    private enum State {
        QUEUED,
        TAKEN,
        /** No group applies it: its caller does. */
        ALONE,
        /** Its caller stopped waiting before a group took it. */
        ABANDONED,
        /** Its caller stopped waiting while a group had it. */
        LEFT
    }

    /** Additional wait of a caller whose operation is in a group. */
    private static final long GROUP_MILLIS = 250;

    private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);
    private final long queuedAt = System.nanoTime();
    private final CountDownLatch done = new CountDownLatch(1);

    /** Written after the outcome, and read before it. */
    private volatile boolean ended;

    /** Sets the outcome of an operation whose caller stopped waiting, and which no group has applied; calls {@link #end()}. */
    protected abstract void abandoned();

    /** Wakes the caller. The outcome must be set before. */
    protected final void end() {
        ended = true;
        done.countDown();
    }

    /** {@return whether the outcome is known, or the caller must apply the operation itself} */
    public final boolean hasEnded() {
        return ended;
    }

    /** {@return the time when the operation was queued, by {@link System#nanoTime()}} */
    public final long queuedAt() {
        return queuedAt;
    }

    /** Takes the operation into a group; returns false if its caller has stopped waiting. */
    public final boolean take() {
        return state.compareAndSet(State.QUEUED, State.TAKEN);
    }

    /** Returns an operation that was taken to its caller, not applied; ends it if its caller has stopped waiting. */
    public final void sendAlone() {
        if (state.compareAndSet(State.TAKEN, State.ALONE)) {
            end();
        } else {
            abandoned();
        }
    }

    /** {@return whether the caller must apply the operation itself} */
    public final boolean goesAlone() {
        return state.get() == State.ALONE;
    }

    /**
     * Waits for the outcome, on the caller's thread. An interruption ends the wait.
     *
     * @param timeout the longest time to wait; a quarter of a second longer if a group has taken the operation
     * @return whether the outcome is known; false if a group still has the operation
     */
    public final boolean awaitEnd(Duration timeout) {
        await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        while (!ended) {
            if (state.compareAndSet(State.QUEUED, State.ABANDONED)) {
                abandoned();
            } else if (state.compareAndSet(State.TAKEN, State.LEFT)) {
                // most groups end shortly after
                await(GROUP_MILLIS, TimeUnit.MILLISECONDS);
                return ended;
            }
        }
        return true;
    }

    private void await(long time, TimeUnit unit) {
        try {
            done.await(time, unit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
