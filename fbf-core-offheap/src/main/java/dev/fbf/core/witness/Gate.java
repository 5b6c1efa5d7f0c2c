package dev.fbf.core.witness;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Counts the threads and claims inside. On request, closes permanently when the last one leaves. Thread-safe; enters without a lock. */
final class Gate {

    /** Count of a closed gate, so far below 0 that concurrent attempts to enter cannot raise it above 0. */
    private static final int CLOSED = Integer.MIN_VALUE / 2;

    private final AtomicInteger inside = new AtomicInteger();

    /**
     * This field and {@link #closing} are written before {@code inside} is read: either the closing thread sees the count at 0, or the last
     * leaving thread sees them.
     */
    private volatile Runnable whenClosed = () -> {};

    private volatile boolean closing;

    /** Enters and returns true if the gate is open. Then the caller must {@link #leave}. */
    boolean enter() {
        if (inside.incrementAndGet() > 0) {
            return true;
        }
        inside.decrementAndGet();
        return false;
    }

    /** Leaves {@code count} times. The last one to leave a closing gate runs the action of {@link #closeOnceEmpty}. */
    void leave(int count) {
        if (inside.addAndGet(-count) == 0 && closing) {
            closeIfEmpty();
        }
    }

    /** Runs work inside the gate; throws if it is closed, because the next node may use the files already. */
    <T> T inside(Supplier<T> work) {
        if (!enter()) {
            throw new IllegalStateException("the node was closed");
        }
        try {
            return work.get();
        } finally {
            leave(1);
        }
    }

    /** Closes the gate now, or when the last one leaves; the closing thread runs the action. Later calls have no effect. */
    synchronized void closeOnceEmpty(Runnable then) {
        if (!closing) {
            whenClosed = then;
            closing = true;
            closeIfEmpty();
        }
    }

    private void closeIfEmpty() {
        if (inside.compareAndSet(0, CLOSED)) {
            whenClosed.run();
        }
    }
}
