package dev.fbf.db.group;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Counters whose increments are applied alone, each in its own transaction, after a group has failed. Thread-safe. */
final class LoneCounters {

    /*
     * A failed group does not show which of its counters is the reason. Each of them is suspected until an attempt alone has
     * succeeded, or all its callers have failed. A counter whose attempt fails stays alone for a second after its latest failure, so that
     * it does not fail the next groups.
     *
     * The increments of a counter take turns: they would wait for the same row lock, each with a connection. So a locked row costs one
     * connection, and its other callers wait without.
     *
     * Counters share a fixed number of lines, by their names' hashes: names may come from clients, and would fill a map.
     */
    private static final int LINES = 1_024;

    private static final long ALONE_AFTER_FAILURE = TimeUnit.SECONDS.toNanos(1);

    private final Line[] lines = Stream.generate(Line::new).limit(LINES).toArray(Line[]::new);
    private final LongSupplier nanoTime;

    /** The callers of a counter, of which one has the turn. */
    private static final class Line extends ReentrantLock {

        private static final long serialVersionUID = 1L;

        /** Whether a group has failed since, and an attempt alone is still to come. */
        volatile boolean isSuspected;

        /** Whether the latest attempt has failed, and when. */
        volatile boolean hasFailed;

        volatile long failedAt;

        Line() {
            super(true);
        }
    }

    /**
     * @param nanoTime a monotonic clock like {@link System#nanoTime()}
     */
    LoneCounters(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    private Line line(String counter) {
        return lines[Math.floorMod(counter.hashCode(), LINES)];
    }

    /** Returns whether new increments of a counter go alone. */
    boolean contains(String counter) {
        Line line = line(counter);
        return line.isSuspected || (line.hasFailed && nanoTime.getAsLong() - line.failedAt < ALONE_AFTER_FAILURE);
    }

    /** Records that a group with a counter has failed. */
    void suspect(String counter) {
        line(counter).isSuspected = true;
    }

    /** Waits until an increment may be applied alone; returns false if the time is over before its turn, or the caller is interrupted. */
    boolean awaitTurn(String counter, long nanos) {
        try {
            return line(counter).tryLock(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Ends the turn of this thread, after an attempt that may have succeeded. */
    void endTurn(String counter, boolean succeeded) {
        Line line = line(counter);
        line.failedAt = nanoTime.getAsLong();
        line.hasFailed = !succeeded;
        line.isSuspected = !succeeded && line.hasQueuedThreads();
        line.unlock();
    }
}
