package dev.fbf.db.group;

import dev.fbf.core.group.GatheringQueue;
import dev.fbf.db.group.GroupCommit.Wait;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Increments of counters whose rows other transactions have locked, until their next attempt. Not thread-safe. */
final class LockedCounters implements GatheringQueue.Aside<GroupedIncrement> {

    /*
     * A locked row alternates between a pause and an attempt. It is removed when an attempt finds it free.
     *
     * Most attempts do not wait; each doubles the pause before the next one. If groups of another node lock a row repeatedly, such attempts
     * succeed only by chance. So the groups' thread also waits for one row at a time: PostgreSQL grants a row to the waiting transactions
     * in turn. No other counter is served during a wait. The first wait is twice as long as the last group took, because another node's
     * group takes about as long. Each wait doubles the next wait for its row. After a wait of length t, the thread does not wait for
     * the same row for 64 t, nor for any row for 4 t (2 t after a successful wait).
     */
    private static final long SHORTEST_PAUSE = Duration.ofMillis(1).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofMillis(32).toNanos();
    private static final long SHORTEST_WAIT = Duration.ofMillis(8).toNanos();
    private static final long LONGEST_WAIT = Duration.ofMillis(64).toNanos();

    private static final int REST_AFTER_WAIT = 2;
    private static final int REST_AFTER_TIMEOUT = 4;
    private static final int REST_OF_ROW = 64;

    private final class Row {
        private final Deque<GroupedIncrement> increments = new ArrayDeque<>();
        private long pause = SHORTEST_PAUSE;
        private long dueAt = nanoTime.getAsLong() + pause;
        private long wait = firstWait;
        private long mayBeAwaitedAt = nanoTime.getAsLong();
        private boolean tried;
    }

    /** Locked rows, in the order in which they were found locked. */
    private final Map<String, Row> rows = new LinkedHashMap<>();

    private final LongSupplier nanoTime;

    private long firstWait = SHORTEST_WAIT;
    private long mayWaitAt;

    /**
     * @param nanoTime a monotonic clock like {@link System#nanoTime()}
     */
    LockedCounters(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        mayWaitAt = nanoTime.getAsLong();
    }

    @Override
    public void groupTook(long nanos) {
        firstWait = Math.max(SHORTEST_WAIT, Math.min(LONGEST_WAIT, 2 * nanos));
    }

    /** Returns the duration of the first wait for a row. */
    Duration firstWait() {
        return Duration.ofNanos(firstWait);
    }

    /** Adds an increment if its counter's row is locked; returns whether it was added. */
    @Override
    public boolean join(GroupedIncrement increment) {
        Row row = rows.get(increment.counter());
        return row != null && row.increments.add(increment);
    }

    /** Queues increments again after an attempt found their rows locked. They go ahead of later arrivals. */
    void putBack(List<GroupedIncrement> tried) {
        for (int i = tried.size() - 1; i >= 0; i--) {
            GroupedIncrement increment = tried.get(i);
            Row row = rows.computeIfAbsent(increment.counter(), counter -> new Row());
            row.increments.addFirst(increment);
            if (row.tried) {
                row.tried = false;
                row.pause = Math.min(LONGEST_PAUSE, 2 * row.pause);
                row.dueAt = nanoTime.getAsLong() + row.pause;
            }
        }
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    @Override
    public int size() {
        return rows.values().stream().mapToInt(row -> row.increments.size()).sum();
    }

    /** Returns the time until the next attempt for a row; 0 or less if one is due. */
    @Override
    public long nanosUntilDue() {
        long now = nanoTime.getAsLong();
        return rows.values().stream().mapToLong(row -> row.dueAt - now).min().orElse(Long.MAX_VALUE);
    }

    /** Takes out the increments of the rows that are due. After the attempt, {@link #endTry} is called. */
    Deque<GroupedIncrement> takeDue() {
        long now = nanoTime.getAsLong();
        Deque<GroupedIncrement> due = new ArrayDeque<>();
        for (Row row : rows.values()) {
            if (row.dueAt - now <= 0) {
                row.tried = true;
                due.addAll(row.increments);
                row.increments.clear();
            }
        }
        return due;
    }

    /** Removes the rows that were attempted and not put back; returns their other increments. */
    List<GroupedIncrement> endTry() {
        List<GroupedIncrement> free = new ArrayList<>();
        for (Iterator<Row> each = rows.values().iterator(); each.hasNext(); ) {
            Row row = each.next();
            if (row.tried) {
                each.remove();
                free.addAll(row.increments);
            }
        }
        return free;
    }

    /** Selects the locked row to wait for: the least recently awaited one; null for none. */
    @Nullable Wait wait(Collection<GroupedIncrement> due) {
        long now = nanoTime.getAsLong();
        if (mayWaitAt - now > 0) {
            return null;
        }
        return due.stream()
                .map(GroupedIncrement::counter)
                .distinct()
                .filter(counter -> row(counter).mayBeAwaitedAt - now <= 0)
                .min(Comparator.comparingLong(counter -> row(counter).mayBeAwaitedAt - now))
                .map(counter -> new Wait(counter, Duration.ofNanos(row(counter).wait)))
                .orElse(null);
    }

    /** Records a wait for a row, and whether the row was still locked at its end. */
    void waited(Wait wait, long nanos, boolean timedOut) {
        long now = nanoTime.getAsLong();
        mayWaitAt = now + (timedOut ? REST_AFTER_TIMEOUT : REST_AFTER_WAIT) * nanos;
        Row row = row(wait.counter());
        row.mayBeAwaitedAt = now + REST_OF_ROW * nanos;
        row.wait = Math.min(LONGEST_WAIT, 2 * row.wait);
    }

    private Row row(String counter) {
        Row row = rows.get(counter);
        if (row == null) {
            throw new IllegalStateException("counter=" + counter + ": is not locked");
        }
        return row;
    }
}
