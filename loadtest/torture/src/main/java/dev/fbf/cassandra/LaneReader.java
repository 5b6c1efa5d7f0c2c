package dev.fbf.cassandra;

/** The decision about a group that the product must not make. */
public final class LaneReader {

    private LaneReader() {}

    /** Takes any group after the last known one for this node's. */
    public static Object decide(Object table, int lane, long seq, Throwable failure) {
        try {
            long now = ((LaneTable) table).seq(lane);
            return new LaneTable.Decision(now > seq, now);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            throw new IllegalStateException(failure);
        }
    }
}
