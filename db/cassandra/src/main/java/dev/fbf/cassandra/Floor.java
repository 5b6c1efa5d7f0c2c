package dev.fbf.cassandra;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Which groups of a lane are surely older than the window, in a few words of memory. Not thread-safe. */
final class Floor {

    private static final int MARKS = 64;

    private long kept;
    private final Deque<Mark> marks = new ArrayDeque<>();
    private long floor;

    /** The number of the lane's groups at a time, by {@link System#nanoTime()}. */
    private record Mark(long nanos, long seq) {}

    /**
     * @param kept how long the table keeps a group
     */
    Floor(Duration kept) {
        this.kept = kept.toNanos();
    }

    /** The table keeps groups for so long at least: another node has a longer window. */
    void keep(Duration longer) {
        kept = Math.max(kept, longer.toNanos());
    }

    /** Groups up to this number have expired. */
    void begin(long number, long seq, long now) {
        floor = Math.max(floor, number);
        marks.add(new Mark(now, seq));
    }

    /** The lane has so many groups. */
    void advance(long seq, long now) {
        if (marks.isEmpty() || now - marks.getLast().nanos >= kept / MARKS) {
            marks.add(new Mark(now, seq));
        }
        while (!marks.isEmpty() && now - marks.getFirst().nanos > kept) {
            floor = marks.removeFirst().seq;
        }
    }

    /** Groups up to this number are older than the window. */
    long get() {
        return floor;
    }
}
