package dev.fbf.spring.jdbc;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Permits to apply operations on the connections of a pool, shared by scopes. Thread-safe. */
final class ConnectionPermits {

    /*
     * An operation takes a permit when it has its claim, and returns it when its transaction has ended. Without a permit it gives its claim
     * back and waits. One connection has no permit, unless it is the only one: it is reserved for fbf's own work, such as the lease and
     * settlement. With several scopes, none of them takes all permits, unless there is only one.
     *
     * Deadlock: a thread waits for a permit only while it holds no permit of this pool, no connection in a transaction or in an open
     * session of its manager, and not its operation's claim. So permit holders never wait for a waiting thread. They wait only for the
     * database, or for a connection of the pool, which has a timeout. A call within a transaction, or within a guarded call, needs no
     * permit. The wait itself has a timeout, for applications that hold connections of two databases, or outside of Spring's transactions.
     *
     * A returned permit is available to any arriving thread, also while others wait: a thread with its next operation takes it without a
     * context switch. A waiting thread attempts to take a permit when it begins to wait, and again after OVERTAKEN. From then on it is
     * overdue: while a thread is overdue, permits are granted to waiting threads only: under the lock, to the waiting scope that holds the
     * fewest, in the order of arrival within a scope. A thread that arrives after an overdue one is overdue immediately. So a thread waits
     * at most OVERTAKEN longer than in a queue, and a free permit is left unused at most for that time.
     *
     * Without overdue threads, permits are taken and returned by atomic updates of two counters: that of the scope, then that of all. A
     * thread increments `overdue` before its last attempt, and a returning thread reads it after returning a permit (both volatile): so
     * either the first finds the permit, or the second finds the overdue thread.
     */
    private final int size;

    /** The time in which other threads may overtake a waiting one: far longer than a thread needs to arrive with its next operation. */
    private static final Duration OVERTAKEN = Duration.ofMillis(1);

    private final Supplier<Duration> timeout;
    private final long overtakenNanos;
    private final AtomicInteger free;
    private final Map<String, Share> shares = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();

    @SuppressWarnings("ThreadLocalUsage") // one per pool
    private final ThreadLocal<@Nullable Permit> ofThread = new ThreadLocal<>();

    /** Number of overdue threads; changed under the lock. */
    private final AtomicInteger overdue = new AtomicInteger();

    /**
     * Creates the permits of a pool.
     *
     * @param connections the pool's maximum size
     * @param timeout the longest wait for a permit, queried per wait, because a pool may only know it after its first use
     */
    ConnectionPermits(int connections, Supplier<Duration> timeout) {
        this(connections, timeout, OVERTAKEN);
    }

    /**
     * Creates the permits of a pool with another time than {@link #OVERTAKEN}.
     *
     * @param overtaken the time in which other threads may overtake a waiting one
     */
    ConnectionPermits(int connections, Supplier<Duration> timeout, Duration overtaken) {
        size = Math.max(1, connections - 1);
        this.timeout = timeout;
        overtakenNanos = overtaken.toNanos();
        free = new AtomicInteger(size);
    }

    /** Returns the share of a scope. */
    Share share(String scope) {
        return shares.computeIfAbsent(scope, name -> new Share());
    }

    private int mostOfScope() {
        return size > 1 && shares.size() > 1 ? size - 1 : size;
    }

    /** Grants available permits to waiting threads. Called under the lock. */
    private void grant() {
        for (Share next = leastServed(); next != null && next.take(); next = leastServed()) {
            Waiter waiter = next.queue.remove();
            waiter.end(State.GRANTED);
            waiter.wake.signal();
        }
    }

    private @Nullable Share leastServed() {
        Share least = null;
        int fewest = mostOfScope();
        for (Share share : shares.values()) {
            int held = share.held.get();
            if (held < fewest && !share.queue.isEmpty()) {
                least = share;
                fewest = held;
            }
        }
        return least;
    }

    private void grantLocked() {
        lock.lock();
        try {
            grant();
        } finally {
            lock.unlock();
        }
    }

    /**
     * WAITING          -> OVERDUE            after OVERTAKEN
     * WAITING, OVERDUE -> GRANTED | GIVEN_UP
     */
    private enum State {
        WAITING,
        OVERDUE,
        GRANTED,
        GIVEN_UP
    }

    /** Thread in the queue of its scope; guarded by the lock. */
    private final class Waiter {

        final Condition wake = lock.newCondition();
        State state = State.WAITING;

        void overdue() {
            state = State.OVERDUE;
            overdue.incrementAndGet();
        }

        void end(State end) {
            if (state == State.OVERDUE) {
                overdue.decrementAndGet();
            }
            state = end;
        }
    }

    /** Permits of one scope. */
    final class Share {

        private final AtomicInteger held = new AtomicInteger();
        private final Deque<Waiter> queue = new ArrayDeque<>();

        private Share() {}

        /** Returns whether this thread has a permit of any scope, and so needs no other. */
        public boolean isHeldByThisThread() {
            return ofThread.get() != null;
        }

        /** Passes this thread's permit to the operation that it was acquired for; null if the operation needed none. */
        public @Nullable Permit handOver() {
            Permit permit = ofThread.get();
            if (permit == null || permit.handedOver) {
                return null;
            }
            permit.handedOver = true;
            return permit;
        }

        /** Acquires a permit for this thread; null if none is available or another thread is overdue. */
        public @Nullable Permit tryAcquire() {
            if (overdue.get() > 0) {
                return null;
            }
            if (take()) {
                return new Permit(this);
            }
            if (overdue.get() > 0) {
                grantLocked(); // a thread that became overdue meanwhile may have found the scope's limit reached by
                // take()
            }
            return null;
        }

        /** Acquires a permit for this thread; null after the timeout or an interrupt. */
        public @Nullable Permit acquire() {
            long longest = timeout.get().toNanos();
            lock.lock();
            try {
                Waiter waiter = new Waiter();
                queue.add(waiter);
                grant();
                try {
                    await(waiter, longest);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                if (waiter.state != State.GRANTED) {
                    queue.remove(waiter);
                    waiter.end(State.GIVEN_UP);
                    return null;
                }
                return new Permit(this);
            } finally {
                lock.unlock();
            }
        }

        private void await(Waiter waiter, long nanos) throws InterruptedException {
            long overtaken = overdue.get() > 0 ? 0 : overtakenNanos;
            long left = nanos - await(waiter, State.WAITING, Math.min(nanos, overtaken));
            if (waiter.state == State.WAITING) {
                waiter.overdue();
                grant();
                await(waiter, State.OVERDUE, left);
            }
        }

        /** Waits for the end of a state; returns the time that this took. */
        private static long await(Waiter waiter, State during, long nanos) throws InterruptedException {
            long left = nanos;
            while (waiter.state == during && left > 0) {
                left = waiter.wake.awaitNanos(left);
            }
            return nanos - left;
        }

        private boolean take() {
            int most = mostOfScope();
            if (held.getAndUpdate(now -> now < most ? now + 1 : now) >= most) {
                return false;
            }
            if (free.getAndUpdate(permits -> Math.max(0, permits - 1)) > 0) {
                return true;
            }
            held.decrementAndGet();
            return false;
        }
    }

    /** Permit, which the thread that acquired it returns. */
    final class Permit implements AutoCloseable {

        private final Share share;
        private boolean open = true;
        private boolean handedOver;

        private Permit(Share share) {
            this.share = share;
            ofThread.set(this);
        }

        /** Returns the permit; further calls have no effect. */
        @Override
        public void close() {
            if (open) {
                open = false;
                ofThread.set(null); // cheaper than remove(), after which the next set() would create a new entry
                share.held.decrementAndGet();
                free.incrementAndGet();
                if (overdue.get() > 0) {
                    grantLocked();
                }
            }
        }
    }
}
