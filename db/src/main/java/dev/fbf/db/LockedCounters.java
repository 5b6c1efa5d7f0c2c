package dev.fbf.db;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The increments of counters whose rows other transactions have locked, until their rows are tried again. Each time that a
 * row is locked still, it is left alone for twice as long. Not thread-safe.
 */
final class LockedCounters {

    private static final long SHORTEST = Duration.ofMillis(1).toNanos();
    private static final long LONGEST = Duration.ofMillis(32).toNanos();

    /** One row. */
    private static final class Locked {
        private final List<GroupedIncrement> increments = new ArrayList<>();
        private long pause;
        private long dueAt;
    }

    private final Map<String, Locked> counters = new HashMap<>();

    /** Adds what comes for a counter that is here; returns whether it is. */
    boolean join(GroupedIncrement increment) {
        Locked locked = counters.get(increment.counter());
        return locked != null && locked.increments.add(increment);
    }

    /** Adds what was tried in vain just now. */
    void add(GroupedIncrement increment) {
        Locked locked = counters.computeIfAbsent(increment.counter(), counter -> new Locked());
        locked.increments.add(increment);
        long pause = increment.pausedFor() == 0 ? SHORTEST : Math.min(LONGEST, 2 * increment.pausedFor());
        if (pause > locked.pause) {
            locked.pause = pause;
            locked.dueAt = System.nanoTime() + pause;
        }
    }

    boolean isEmpty() {
        return counters.isEmpty();
    }

    int size() {
        return counters.values().stream()
                .mapToInt(locked -> locked.increments.size())
                .sum();
    }

    /** How long it takes until a row is to be tried again; 0 or less if one is. */
    long nanosUntilDue() {
        long now = System.nanoTime();
        return counters.values().stream()
                .mapToLong(locked -> locked.dueAt - now)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Takes out the increments of the rows that are to be tried again. */
    List<GroupedIncrement> takeDue() {
        long now = System.nanoTime();
        List<GroupedIncrement> due = new ArrayList<>();
        counters.values().removeIf(locked -> {
            if (locked.dueAt - now > 0) {
                return false;
            }
            locked.increments.forEach(increment -> increment.pausedFor(locked.pause));
            return due.addAll(locked.increments);
        });
        return due;
    }
}
