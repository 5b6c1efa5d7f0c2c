package dev.fbf.cassandra;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Decision whether a node commits its operations to a lane itself, or forwards them to the node that leads the lane. Not thread-safe. */
final class Leadership {

    /*
     * Correctness does not depend on who leads: of several groups that are sent at the same time, the lane accepts one. But each of the
     * others costs a failed batch, a read of the missed groups, and the time in which they delay each other.
     *
     * The node that has committed the last group leads. Other nodes write their operations to the table, as forwarded ones, and the leader
     * adds them to its next group. So a group has the operations of all nodes, and no node waits for another one's turn.
     *
     * FOLLOWS -> LEADS when a batch of this node was applied; LEADS -> FOLLOWS when a group of another node was seen
     *
     * A leader that is silent for some batches is idle or dead: then any node may commit, and leads if its batch is applied. A leader whose
     * operations arrive at intervals marks its groups, so that other nodes need not wait for it.
     *
     * A forwarded group is added at most once. A leader records the last one that it has added of each node. It ignores
     * groups that were forwarded before its own first group: an earlier leader may have added them, in a group older than the window.
     */

    /** The time for which a leader may be silent, in batches. */
    static final int SILENT_BATCHES = 4;

    /** The time between a leader's groups, in batches, from which it is not expected to add forwarded operations. */
    static final int IDLE_BATCHES = 2;

    private static final long SHARED = Duration.ofSeconds(2).toNanos();
    private static final double SMOOTHING = 0.25;

    private final int self;

    /** The number of the last group that was added from each node, by node. */
    private final Map<Integer, Integer> added = new HashMap<>();

    private double batchNanos = Duration.ofMillis(5).toNanos();
    private int leader;
    private boolean isIdle;
    private long groupAt;
    private long ownGroupAt;
    private long othersAt;

    /** The number of the first group of this node since it became the leader. */
    private long since;

    Leadership(int self, long now) {
        this.self = self;
        leader = self;
        since = Long.MAX_VALUE;
        groupAt = now;
        ownGroupAt = now - SHARED;
        othersAt = now - SHARED - 1;
    }

    /** Records that a batch of this node was applied, as a group with this number. */
    void committed(long number, long nanos, long now) {
        took(nanos);
        if (leader != self || since == Long.MAX_VALUE) {
            leader = self;
            since = number;
        }
        groupAt = now;
        ownGroupAt = now;
    }

    /** Records a group of another node. */
    void saw(int node, boolean idle, long now) {
        if (node != self) {
            leader = node;
            isIdle = idle;
            groupAt = now;
            othersAt = now;
        }
    }

    /** Records how long a batch took. */
    void took(long nanos) {
        batchNanos += SMOOTHING * (nanos - batchNanos);
    }

    /** Records that another node has operations for this lane. */
    void others(long now) {
        othersAt = now;
    }

    /** Returns whether other nodes had operations for this lane in the last 2 seconds. */
    boolean isShared(long now) {
        return now - othersAt <= SHARED;
    }

    /** Returns the node that has committed the last known group; this node if there is none. */
    int leader() {
        return leader;
    }

    /** Returns whether another node commits this node's operations. */
    boolean follows(long now) {
        return leader != self && !isIdle && now - groupAt < SILENT_BATCHES * batchNanos;
    }

    /** Returns whether this node's last group was longer ago than {@link #IDLE_BATCHES}. */
    boolean isIdle(long now) {
        return now - ownGroupAt > IDLE_BATCHES * batchNanos;
    }

    /** Returns whether this node may add a forwarded group, and records that it has. */
    boolean adds(ForwardedGroup group) {
        if (leader != self || group.seq() < since) {
            return false;
        }
        Integer last = added.get(group.node());
        if (last != null && group.number() - last <= 0) {
            return false;
        }
        added.put(group.node(), group.number());
        return true;
    }

    /** Returns the expected time of a batch. */
    long batchNanos() {
        return Math.round(batchNanos);
    }
}
