package dev.fbf.cassandra;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/** Number up to which a lane's groups are certainly older than the window, estimated from about 64 samples. Not thread-safe. */
final class Floor {

    private static final int MARKS = 64;

    private long kept;
    private final Deque<Mark> marks = new ArrayDeque<>();
    private long floor;

    /** The number of the lane's groups at a time, by {@link System#nanoTime()}. */
    private record Mark(long nanos, long seq) {}

    /**
     * @param kept the time to live of a group's row
     */
    Floor(Duration kept) {
        this.kept = kept.toNanos();
    }

    /** Records a minimum time to live of groups, because another node may have a longer window. */
    void keep(Duration longer) {
        kept = Math.max(kept, longer.toNanos());
    }

    /** Records that groups up to a number have expired. */
    void begin(long number, long seq, long now) {
        floor = Math.max(floor, number);
        marks.add(new Mark(now, seq));
    }

    /** Records the number of the lane's groups. */
    void advance(long seq, long now) {
        if (marks.isEmpty() || now - marks.getLast().nanos >= kept / MARKS) {
            marks.add(new Mark(now, seq));
        }
        while (!marks.isEmpty() && now - marks.getFirst().nanos > kept) {
            floor = marks.removeFirst().seq;
        }
    }

    /** Returns the number up to which groups are older than the window. */
    long get() {
        return floor;
    }
}
