package dev.fbf.db.group;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Counters whose increments are applied alone, each in its own transaction, after a group has failed. Thread-safe. */
public final class LoneCounters {

    /*
     * A failed group does not show which of its counters is the reason. Each of them is suspected until an attempt alone has succeeded. A
     * counter whose attempt fails stays alone for a second after its latest failure, so that it does not fail the next groups.
     *
     * The increments of a counter take turns: they would wait for the same row lock, each with a connection. So a locked row costs one
     * connection, and its other callers wait without. After a failure the next turn begins after a pause: otherwise callers that repeat a
     * bad increment would take the server's time from the good ones.
     */
    private enum State {
        /** No attempt has ended yet. */
        SUSPECTED,
        /** An attempt has succeeded: new increments join groups again. */
        CLEARED,
        /** An attempt has failed; new increments go alone for a second after that. */
        FAILED
    }

    private static final int MOST = 1_024;
    private static final long ALONE_AFTER_FAILURE = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration SHORTEST_LOCK_TIMEOUT = Duration.ofMillis(1);

    private final Map<String, Line> lines = new LinkedHashMap<>();
    private final LongSupplier nanoTime;

    /** The callers of one counter. */
    private static final class Line {
        private final ReentrantLock turn = new ReentrantLock(true);
        private int callers;
        private State state = State.SUSPECTED;
        private long failedAt;
    }

    /**
     * @param nanoTime a monotonic clock like {@link System#nanoTime()}
     */
    LoneCounters(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The right to apply an increment alone, until it is closed; it has failed unless {@link #succeeded} was called. */
    public final class Turn implements AutoCloseable {

        private final String counter;
        private final Line line;
        private final long deadline;
        private boolean succeeded;

        private Turn(String counter, Line line, long deadline) {
            this.counter = counter;
            this.line = line;
            this.deadline = deadline;
        }

        /** {@return the remaining time of the caller, from 1 ms} */
        public Duration remaining() {
            Duration left = Duration.ofNanos(deadline - nanoTime.getAsLong());
            return left.compareTo(SHORTEST_LOCK_TIMEOUT) < 0 ? SHORTEST_LOCK_TIMEOUT : left;
        }

        /** Records that the increment was applied, or is a duplicate. */
        public void succeeded() {
            succeeded = true;
        }

        @Override
        public void close() {
            ended(line, succeeded);
            line.turn.unlock();
            leave(counter, line);
        }
    }

    /** Returns whether new increments of a counter go alone. */
    synchronized boolean contains(String counter) {
        Line line = lines.get(counter);
        return line != null && (line.state == State.SUSPECTED || hasFailedLately(line));
    }

    /**
     * Waits until an increment may be applied alone.
     *
     * @param deadline the end of its caller's time, by the clock
     * @return null if the time is over before its turn, or the caller is interrupted
     */
    @Nullable Turn await(String counter, long deadline) {
        Line line = join(counter);
        try {
            if (line.turn.tryLock(deadline - nanoTime.getAsLong(), TimeUnit.NANOSECONDS)) {
                long pause = pause(line);
                if (pause < deadline - nanoTime.getAsLong()) {
                    TimeUnit.NANOSECONDS.sleep(pause);
                    return new Turn(counter, line, deadline);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (line.turn.isHeldByCurrentThread()) {
            line.turn.unlock();
        }
        leave(counter, line);
        return null;
    }

    /** Returns the time until the next turn, which is not positive if it may begin. */
    private synchronized long pause(Line line) {
        return line.state == State.FAILED ? line.failedAt + PAUSE_AFTER_FAILURE - nanoTime.getAsLong() : 0;
    }

    private synchronized Line join(String counter) {
        Line line = lines.computeIfAbsent(counter, name -> new Line());
        line.callers++;
        return line;
    }

    private synchronized void ended(Line line, boolean succeeded) {
        if (!succeeded) {
            line.state = State.FAILED;
            line.failedAt = nanoTime.getAsLong();
        } else if (line.state == State.SUSPECTED) {
            line.state = State.CLEARED;
        }
    }

    private synchronized void leave(String counter, Line line) {
        line.callers--;
        if (line.callers == 0) {
            lines.remove(counter, line);
            if (hasFailedLately(line)) {
                keep(counter, line);
            }
        }
    }

    /** Keeps a counter without callers, as the last one that is forgotten. */
    private void keep(String counter, Line line) {
        lines.put(counter, line);
        if (lines.size() > MOST) {
            Iterator<Line> oldest = lines.values().iterator();
            oldest.next();
            oldest.remove();
        }
    }

    private boolean hasFailedLately(Line line) {
        return line.state == State.FAILED && nanoTime.getAsLong() - line.failedAt < ALONE_AFTER_FAILURE;
    }
}
