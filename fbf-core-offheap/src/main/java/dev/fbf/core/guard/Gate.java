package dev.fbf.core.guard;

import java.util.concurrent.atomic.AtomicInteger;

/** Counts those inside, and closes for good when the last of them has left. Thread-safe and lock-free. */
final class Gate {

    /** So far below 0 that no number of those who try to enter brings it back. */
    private static final int CLOSED = Integer.MIN_VALUE / 2;

    private final AtomicInteger inside = new AtomicInteger();

    /** Set once it is to be closed. Written before `inside` is read, so that either side sees the other. */
    private volatile Runnable whenClosed = () -> {};

    private volatile boolean closing;

    /** Tells whether it is open: the caller is inside then, and must {@link #leave}. */
    boolean enter() {
        if (inside.incrementAndGet() > 0) {
            return true;
        }
        inside.decrementAndGet();
        return false;
    }

    /** So many leave. Runs what is to be run when it closes, if they are the last. */
    void leave(int count) {
        if (inside.addAndGet(-count) == 0 && closing) {
            closeIfEmpty();
        }
    }

    /** How many are inside. */
    int inside() {
        return Math.max(0, inside.get());
    }

    /** Closes now, or when the last leaves: its thread runs this then. Only the first call counts. */
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
