package dev.fbf.core.claim;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Counts the threads and claims inside, and closes for good when the last one leaves. Thread-safe and lock-free. */
final class Gate {

    /** Far enough below 0 that no number of concurrent attempts to enter brings the count above it. */
    private static final int CLOSED = Integer.MIN_VALUE / 2;

    private final AtomicInteger inside = new AtomicInteger();

    /** Written before {@code inside} is read, so that either side sees the other. */
    private volatile Runnable whenClosed = () -> {};

    private volatile boolean closing;

    /** Enters if the gate is open. The caller must {@link #leave} then. */
    boolean enter() {
        if (inside.incrementAndGet() > 0) {
            return true;
        }
        inside.decrementAndGet();
        return false;
    }

    /** Leaves. The last one runs the action of {@link #closeOnceEmpty}. */
    void leave(int count) {
        if (inside.addAndGet(-count) == 0 && closing) {
            closeIfEmpty();
        }
    }

    /** Makes a change inside and returns its result; only returns false if the gate is closed. */
    boolean ifOpen(BooleanSupplier change) {
        if (!enter()) {
            return false;
        }
        try {
            return change.getAsBoolean();
        } finally {
            leave(1);
        }
    }

    int inside() {
        return Math.max(0, inside.get());
    }

    /**
     * Closes the gate now, or when the last one leaves; the closing thread runs the action. Only the first call counts.
     */
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
