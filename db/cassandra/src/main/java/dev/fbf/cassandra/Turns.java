package dev.fbf.cassandra;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Decides when a node commits a group to a lane that it shares with other nodes. Not thread-safe. */
final class Turns {

    /*
     * Correctness does not depend on this: of several groups that are sent at the same time, the lane accepts one. But each of the others
     * costs a failed batch, a read of the missed groups, and the time in which they delay each other. So nodes that see each other's
     * groups take turns of several groups. The last group of a turn is marked; then the node that has waited longest continues or, if it
     * has nothing to commit, the one that has waited second longest. A group with no operations waiting after it is the last of its turn.
     * Otherwise clients that use any node would soon wait at the other nodes, which would have to detect that the turn is idle.
     *
     * ALONE -> SHARED when a group of another node or a waiting node is seen; SHARED -> ALONE when none was seen for a time
     *
     * A node that commits without a pause would never notice a waiting node, whose batches always come too late. So a node whose batch
     * failed announces that it waits, and a busy node looks for such announcements at intervals, in parallel to its batches.
     *
     * A node that is alone reads nothing before its batches. A node that shares the lane reads its groups before its turn: after an idle
     * time, one cheap read replaces a failed batch.
     */
    static final int GROUPS = 8;

    private static final long SHARED = Duration.ofSeconds(2).toNanos();
    private static final double SMOOTHING = 0.25;

    /**
     * Unit: batches. How long a node waits for the one that has the turn, or for its predecessor. That node must notice its turn and read
     * shares before its first batch; a shorter wait would disturb it.
     */
    static final int BATCHES_TO_WAIT = 4;

    /** Unit: batches. Limits of the pause between two reads. */
    private static final double SHORTEST_PAUSE = 0.25;

    private static final double LONGEST_PAUSE = 2;

    /** Factor of a turn's expected duration, for waking up early rather than late. */
    private static final double EARLY = 0.75;

    private final int self;

    /** Time of each node's last seen group; the node that has waited longest is the first. */
    private final Map<Integer, Long> seen = new LinkedHashMap<>();

    private double batchNanos = Duration.ofMillis(5).toNanos();
    private int groupsInTurn;
    private int last;
    private int groupsOfLast;
    private int groupsExpected = GROUPS;
    private boolean isFree;
    private long changedAt;

    Turns(int self, long now) {
        this.self = self;
        changedAt = now - SHARED;
    }

    /** Records that a batch of this node was applied. */
    void committed(boolean lastOfTurn, long nanos, long now) {
        batchNanos += SMOOTHING * (nanos - batchNanos);
        groupsInTurn = lastOfTurn ? 0 : Math.min(GROUPS, groupsInTurn + 1);
        changed(self, lastOfTurn, now);
    }

    /** Records a group of another node. */
    void saw(int node, boolean lastOfTurn, long now) {
        if (node != self) {
            groupsInTurn = 0;
            changed(node, lastOfTurn, now);
        }
    }

    /** Records that another node waits for its turn. */
    void waits(int node, long now) {
        if (node != self) {
            // a known node keeps its place in the order; a new one is the last before this node's next group
            seen.put(node, now);
        }
    }

    private void changed(int node, boolean lastOfTurn, long now) {
        seen.remove(node);
        seen.put(node, now);
        groupsOfLast = node == last && !isFree ? groupsOfLast + 1 : 1;
        if (lastOfTurn) {
            groupsExpected = groupsOfLast;
        }
        last = node;
        isFree = lastOfTurn;
        changedAt = now;
    }

    /** Returns whether other nodes commit to the lane. */
    boolean isShared(long now) {
        seen.values().removeIf(at -> now - at > SHARED);
        return seen.keySet().stream().anyMatch(node -> node != self);
    }

    /** Returns whether this node has begun a turn, and the other nodes wait for it to continue. */
    boolean isInTurn(long now) {
        return groupsInTurn > 0 && now - changedAt < BATCHES_TO_WAIT * batchNanos;
    }

    /**
     * Returns whether the next group is the last of this node's turn.
     *
     * @param more whether other operations wait
     */
    boolean endsTurn(long now, boolean more) {
        return isShared(now) && (!more || (isInTurn(now) ? groupsInTurn : 0) + 1 >= GROUPS);
    }

    /** Returns the time until this node may commit, unless the lane changes meanwhile; 0 or less if it may now. */
    long nanosToTurn(long now) {
        if (!isShared(now) || isInTurn(now)) {
            return 0;
        }
        int before = 0;
        for (int node : seen.keySet()) {
            if (node == self) {
                break;
            }
            before++;
        }
        boolean isNew = !seen.containsKey(self);
        double batches = (isNew ? 0 : before) * BATCHES_TO_WAIT + (isFree ? 0 : BATCHES_TO_WAIT);
        return changedAt + Math.round(batches * batchNanos) - now;
    }

    /** Returns the pause between two reads of the lane's groups: most of the turn's remaining time, estimated by the previous turn. */
    long nanosBetweenReads() {
        int left = isFree ? 0 : Math.max(0, groupsExpected - groupsOfLast);
        return Math.round(batchNanos * Math.max(SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, left * EARLY)));
    }

    /** Returns the time until every other node has certainly had its turn. */
    long nanosOfAllTurns() {
        return Math.round(BATCHES_TO_WAIT * batchNanos * GROUPS * (seen.size() + 1));
    }
}
