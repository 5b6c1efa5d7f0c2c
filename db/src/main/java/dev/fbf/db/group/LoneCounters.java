package dev.fbf.db.group;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
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
     *
     * Counters share a fixed number of lines, by their names' hashes: names may come from clients, and would fill a map.
     */
    private static final int LINES = 1_024;

    private static final long ALONE_AFTER_FAILURE = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration SHORTEST_LOCK_TIMEOUT = Duration.ofMillis(1);

    private final Line[] lines = Stream.generate(Line::new).limit(LINES).toArray(Line[]::new);
    private final LongSupplier nanoTime;

    /** The callers of a counter. */
    private final class Line {

        private final ReentrantLock turn = new ReentrantLock(true);
        private int callers;

        /** Whether the latest attempt of these callers has succeeded. */
        private boolean isCleared;

        private @Nullable Long failedAt;

        synchronized boolean isAlone() {
            boolean hasFailedLately = failedAt != null && nanoTime.getAsLong() - failedAt < ALONE_AFTER_FAILURE;
            return hasFailedLately || (callers > 0 && !isCleared);
        }

        synchronized void join() {
            callers++;
        }

        /** Returns the time until the next turn, which is not positive if it may begin. */
        synchronized long pause() {
            return failedAt == null ? 0 : failedAt + PAUSE_AFTER_FAILURE - nanoTime.getAsLong();
        }

        synchronized void ended(boolean succeeded) {
            isCleared = succeeded;
            if (!succeeded) {
                failedAt = nanoTime.getAsLong();
            }
        }

        synchronized void leave() {
            callers--;
            isCleared &= callers > 0;
        }
    }

    /**
     * @param nanoTime a monotonic clock like {@link System#nanoTime()}
     */
    LoneCounters(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The right to apply an increment alone, until it is closed; it has failed unless {@link #succeeded} was called. */
    public final class Turn implements AutoCloseable {

        private final Line line;
        private final long deadline;
        private boolean succeeded;

        private Turn(Line line, long deadline) {
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
            line.ended(succeeded);
            line.turn.unlock();
            line.leave();
        }
    }

    private Line line(String counter) {
        return lines[Math.floorMod(counter.hashCode(), LINES)];
    }

    /** Returns whether new increments of a counter go alone. */
    boolean contains(String counter) {
        return line(counter).isAlone();
    }

    /**
     * Waits until an increment may be applied alone.
     *
     * @param deadline the end of its caller's time, by the clock
     * @return null if the time is over before its turn, or the caller is interrupted
     */
    @Nullable Turn await(String counter, long deadline) {
        Line line = line(counter);
        line.join();
        try {
            if (line.turn.tryLock(deadline - nanoTime.getAsLong(), TimeUnit.NANOSECONDS)) {
                long pause = line.pause();
                if (pause < deadline - nanoTime.getAsLong()) {
                    TimeUnit.NANOSECONDS.sleep(pause);
                    return new Turn(line, deadline);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (line.turn.isHeldByCurrentThread()) {
            line.turn.unlock();
        }
        line.leave();
        return null;
    }
}
