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
 * <p>Callers that have just got a response tend to come again at once: the thread waits for as many as were in the last group, but no
 * longer than an eighth of the time that the group took. A caller that comes alone waits for nobody.
 *
 * @param <T> the operations
 */
public final class GatheringQueue<T> {

    /** What part of the time that the last group took is spent on gathering the next at most. */
    private static final int GATHERING = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Deque<T> waiting = new ArrayDeque<>();
    private final Aside<T> aside;

    private boolean closed;

    /** Whether the thread waits for operations. */
    private boolean idle;

    /** Whether a caller commits its own operation; the thread waits until it has ended. */
    private boolean led;

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
            if (!closed && !aside.join(operation)) {
                all.add(operation);
                if (all.size() == 1 || all.size() >= expected) {
                    arrived.signal();
                }
            }
            return !closed;
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
            boolean leads = idle && !led && !closed && expected == 1 && all.isEmpty() && aside.size() == 0;
            led |= leads;
            return leads;
        });
    }

    /** Ends what {@link #tryLead} has begun. */
    public void endLead() {
        change(all -> {
            led = false;
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
            closed = true;
            arrived.signal();
        });
    }

    /** Waits until there are operations to be committed; returns false if the queue is closed and there are none left. */
    public boolean awaitSome() throws InterruptedException {
        lock.lock();
        try {
            idle = true;
            while (led || (waiting.isEmpty() && aside.nanosUntilDue() > 0)) {
                if (!led && aside.nanosUntilDue() < Long.MAX_VALUE) {
                    arrived.awaitNanos(aside.nanosUntilDue());
                } else if (!led && closed) {
                    return false;
                } else {
                    arrived.await();
                }
            }
            long left = Math.min(longestGathering, aside.nanosUntilDue());
            while (waiting.size() < expected && !closed && left > 0) {
                left = arrived.awaitNanos(left);
            }
            return true;
        } finally {
            idle = false;
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
     * Takes operations out of those that wait.
     *
     * @param taking is given them in their order, under the queue's lock
     * @return what it returns
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
     * Changes those that wait, or those that are set aside.
     *
     * @param change is given those that wait in their order, under the queue's lock
     */
    public void change(Consumer<Deque<T>> change) {
        take(all -> {
            change.accept(all);
            return true;
        });
    }
}
