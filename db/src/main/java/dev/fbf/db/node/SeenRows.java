package dev.fbf.db.node;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Since when the rows of nodes are as they are, at least, as far as this process has seen them: by its monotonic clock, since other
 * clocks can be set meanwhile. Used by one thread at a time.
 */
final class SeenRows {

    /** A row, and by when it was written in nanoseconds of the monotonic clock. */
    private record Seen(UUID run, Instant seenAt, long writtenBy) {

        boolean isOf(OtherNode row) {
            return run.equals(row.run()) && seenAt.equals(row.seenAt()); // a row that was written has another time
        }
    }

    private final LongSupplier nanoTime;
    private final Map<UUID, Seen> byNode = new HashMap<>();

    /** By such a clock as {@link System#nanoTime()}. */
    SeenRows(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Returns for how long a node has not written its row, at least.
     *
     * @param age the same as clocks show it now; negative if one was set back
     */
    Duration age(OtherNode row, Duration age) {
        long now = nanoTime.getAsLong();
        long writtenBy = age.isNegative() ? now : now - age.toNanos();
        Seen seen = byNode.get(row.id());
        if (seen == null || !seen.isOf(row) || writtenBy - seen.writtenBy < 0) {
            seen = new Seen(row.run(), row.seenAt(), writtenBy);
            byNode.put(row.id(), seen);
        }
        return Duration.ofNanos(now - seen.writtenBy);
    }
}
