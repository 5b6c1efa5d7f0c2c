package dev.fbf.core.group;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Thread-safe queue of operations that one thread commits in groups; a single caller may {@linkplain #tryLead commit its own operation}.
 *
 * <p>Callers that have just received a response tend to call again immediately. So the thread waits until there are as many operations as
 * in the last group, but at most for an eighth of that group's duration. A single caller does not wait for others.
 *
 * @param <T> the operations
 */
public class GatheringQueue<T> {

    /** BUSY -> IDLE, IDLE -> BUSY | LED, LED -> IDLE; BUSY | IDLE -> DRAINING, LED -> LED_LAST, LED_LAST -> DRAINING. */
    private enum State {
        /** The thread commits a group. */
        BUSY,
        /** The thread waits for operations. */
        IDLE,
        /** A caller commits its own operation; the thread waits until it has ended. */
        LED,
        /** A caller commits its own operation, and the queue is closed. */
        LED_LAST,
        /** The queue is closed: the thread commits the queued operations. */
        DRAINING;

        boolean isClosed() {
            return this == LED_LAST || this == DRAINING;
        }

        boolean isLed() {
            return this == LED || this == LED_LAST;
        }
    }

    /** The longest time to gather a group is the duration of the last group, divided by this. */
    private static final int GATHERING = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Deque<T> waiting = new ArrayDeque<>();

    private State state = State.BUSY;

    /** Number of operations to wait for. */
    private int expected = 1;

    private long longestGathering;

    /** Adds an operation; returns false if the queue is closed. */
    public boolean add(T operation) {
        return take(all -> {
            if (!state.isClosed()) {
                all.add(operation);
                if (all.size() == 1 || all.size() >= expected) {
                    arrived.signal();
                }
            }
            return !state.isClosed();
        });
    }

    /**
     * Lets a caller commit its own operation, which saves two thread switches. Possible if the thread is idle, no operations are queued,
     * and the last group had one operation. Operations that are added meanwhile wait for the thread.
     *
     * @return whether the caller leads; then it must call {@link #endLead} after its operation
     */
    public boolean tryLead() {
        return take(all -> {
            boolean leads = state == State.IDLE && expected == 1 && all.isEmpty();
            state = leads ? State.LED : state;
            return leads;
        });
    }

    /** Ends a lead that {@link #tryLead} began. */
    public void endLead() {
        change(all -> {
            state = state == State.LED ? State.IDLE : State.DRAINING;
            arrived.signal();
        });
    }

    /** {@return the number of queued operations} */
    public int size() {
        return take(Deque::size);
    }

    /** Closes the queue for new operations. */
    public void close() {
        change(all -> {
            state = state.isLed() ? State.LED_LAST : State.DRAINING;
            arrived.signal();
        });
    }

    /** Waits until there are operations to commit; returns false if the queue is closed and empty. */
    public boolean awaitSome() throws InterruptedException {
        lock.lock();
        try {
            state = state == State.BUSY ? State.IDLE : state;
            while (state.isLed() || waiting.isEmpty()) {
                if (state == State.DRAINING) {
                    return false;
                }
                arrived.await();
            }
            long left = longestGathering;
            while (waiting.size() < expected && !state.isClosed() && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return true;
        } finally {
            state = state == State.IDLE ? State.BUSY : state;
            lock.unlock();
        }
    }

    /** Records the end of a group, which determines how long the next one gathers. */
    public void ended(int size, long nanos) {
        change(all -> {
            expected = size;
            longestGathering = nanos / GATHERING;
        });
    }

    /**
     * Applies a function to the queued operations, which it may change.
     *
     * @param taking receives the queued operations in order, under the queue's lock
     * @return the result of {@code taking}
     */
    public <R> R take(Function<Deque<T>, R> taking) {
        lock.lock();
        try {
            return taking.apply(waiting);
        } finally {
            lock.unlock();
        }
    }

    private void change(Consumer<Deque<T>> change) {
        take(all -> {
            change.accept(all);
            return true;
        });
    }
}
