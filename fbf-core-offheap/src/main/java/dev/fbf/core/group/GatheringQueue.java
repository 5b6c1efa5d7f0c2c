package dev.fbf.core.group;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The operations that wait to be committed in groups, by one thread; a caller that is alone may {@linkplain #tryLead commit its own}
 * instead. Thread-safe.
 *
 * <p>Callers that have just got a response tend to call again at once. So the thread waits for as many operations as the last group
 * had, but at most for an eighth of the time that the group took. A caller that comes alone does not wait for others.
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
        /** Likewise, and the queue is closed. */
        LED_LAST,
        /** The queue is closed: the thread commits the operations that wait. */
        DRAINING;

        boolean isClosed() {
            return this == LED_LAST || this == DRAINING;
        }

        boolean isLed() {
            return this == LED || this == LED_LAST;
        }
    }

    /** The time that the last group took, divided by this, is the longest time to gather the next. */
    private static final int GATHERING = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Deque<T> waiting = new ArrayDeque<>();
    private final Aside<T> aside;

    private State state = State.BUSY;

    /** How many are worth waiting for. */
    private int expected = 1;

    private long longestGathering;

    /**
     * The operations that are set aside until a time; none by default. All methods are called under the queue's lock.
     *
     * @param <T> the operations
     */
    public interface Aside<T> {

        /** Sets an operation aside, if it belongs there; returns whether it does. */
        default boolean join(T operation) {
            return false;
        }

        /** {@return the number of operations that are set aside} */
        default int size() {
            return 0;
        }

        /** {@return how long it takes until some are due; 0 or less if some are, {@link Long#MAX_VALUE} if there are none} */
        default long nanosUntilDue() {
            return Long.MAX_VALUE;
        }
    }

    public GatheringQueue(Aside<T> aside) {
        this.aside = aside;
    }

    /** Creates a queue without any that are set aside. */
    public GatheringQueue() {
        this(new Aside<>() {});
    }

    /** Adds an operation; returns false if the queue is closed. */
    public boolean add(T operation) {
        return take(all -> {
            if (!state.isClosed() && !aside.join(operation)) {
                all.add(operation);
                if (all.size() == 1 || all.size() >= expected) {
                    arrived.signal();
                }
            }
            return !state.isClosed();
        });
    }

    /**
     * Lets a caller commit its own operation, without the two switches of threads that it costs to have it done: if the thread has nothing
     * to do, and the last group had no more than one operation. Operations that are added meanwhile wait for the thread.
     *
     * @return whether the caller leads: then it calls {@link #endLead} after its operation
     */
    public boolean tryLead() {
        return take(all -> {
            boolean leads = state == State.IDLE && expected == 1 && all.isEmpty() && aside.size() == 0;
            state = leads ? State.LED : state;
            return leads;
        });
    }

    /** Ends a lead that {@link #tryLead} has begun. */
    public void endLead() {
        change(all -> {
            state = state == State.LED ? State.IDLE : State.DRAINING;
            arrived.signal();
        });
    }

    /** {@return the number of operations that wait, as of now} */
    public int size() {
        return take(all -> all.size() + aside.size());
    }

    /** Takes no more operations. */
    public void close() {
        change(all -> {
            state = state.isLed() ? State.LED_LAST : State.DRAINING;
            arrived.signal();
        });
    }

    /** Waits until there are operations to be committed; returns false if the queue is closed and there are none left. */
    public boolean awaitSome() throws InterruptedException {
        lock.lock();
        try {
            state = state == State.BUSY ? State.IDLE : state;
            while (state.isLed() || (waiting.isEmpty() && aside.nanosUntilDue() > 0)) {
                if (state.isLed()) {
                    arrived.await();
                } else if (aside.nanosUntilDue() < Long.MAX_VALUE) {
                    arrived.awaitNanos(aside.nanosUntilDue());
                } else if (state == State.DRAINING) {
                    return false;
                } else {
                    arrived.await();
                }
            }
            long left = Math.min(longestGathering, aside.nanosUntilDue());
            while (waiting.size() < expected && !state.isClosed() && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return true;
        } finally {
            state = state == State.IDLE ? State.BUSY : state;
            lock.unlock();
        }
    }

    /** Notes the end of a group, to decide how long the next is gathered. */
    public void ended(int size, long nanos) {
        change(all -> {
            expected = size;
            longestGathering = nanos / GATHERING;
        });
    }

    /**
     * Takes some of the waiting operations.
     *
     * @param taking gets all waiting operations in their order, under the queue's lock
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

    /**
     * Changes the waiting operations, or those that are set aside.
     *
     * @param change gets the waiting operations in their order, under the queue's lock
     */
    public void change(Consumer<Deque<T>> change) {
        take(all -> {
            change.accept(all);
            return true;
        });
    }
}
