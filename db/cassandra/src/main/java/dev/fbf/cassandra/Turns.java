package dev.fbf.cassandra;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Decides when a node commits a group to a lane to which other nodes commit as well. Not thread-safe. */
final class Turns {

    /*
     * Correctness does not depend on this: the lane takes one group of those that are sent at the same time. But each of the others
     * costs a failed batch, a read of the groups that it has missed, and the time in which they hinder one another. So nodes that see each other's
     * groups take turns of several groups. The last group of a turn is marked as such; then the node that has waited longest goes on, and after
     * it, if it has nothing to commit, the one that has waited second longest. A group behind which nothing waits is the last:
     * where clients come to any node, all of them soon wait at the others, which would have to find out that the turn is idle.
     *
     * ALONE -> SHARED when a group of another node is seen, or one that waits; SHARED -> ALONE when none was for a while
     *
     * A node that commits without a pause would never see that another one waits, whose batches come too late each time. So a node
     * that has failed announces that it waits, and a busy one looks for such announcements now and then, beside its batches.
     *
     * A node that is alone asks no other node. One that shares the lane reads its groups before its turn: after an idle while that is
     * one cheap read in place of a batch that fails.
     */
    static final int GROUPS = 8;

    private static final long SHARED = Duration.ofSeconds(2).toNanos();
    private static final double SMOOTHING = 0.25;

    /**
     * In batches: how long a node waits for the one that has the turn, or for the one before itself. That one has to learn that the turn is
     * its own, and to read shares, before its first batch: a node that waits less would hinder it.
     */
    static final int BATCHES_TO_WAIT = 4;

    /** In batches: the pauses between two reads. */
    private static final double SHORTEST_PAUSE = 0.25;

    private static final double LONGEST_PAUSE = 2;

    /** Of the time that a turn is expected to last: rather too early than too late. */
    private static final double EARLY = 0.75;

    private final int self;

    /** When each node's last group was seen; the one that has waited longest is the first. */
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

    /** A batch of this node was applied. */
    void committed(boolean lastOfTurn, long nanos, long now) {
        batchNanos += SMOOTHING * (nanos - batchNanos);
        groupsInTurn = lastOfTurn ? 0 : Math.min(GROUPS, groupsInTurn + 1);
        changed(self, lastOfTurn, now);
    }

    /** A group of another node was seen. */
    void saw(int node, boolean lastOfTurn, long now) {
        if (node != self) {
            groupsInTurn = 0;
            changed(node, lastOfTurn, now);
        }
    }

    /** Another node waits for its turn. */
    void waits(int node, long now) {
        if (node != self) {
            seen.put(node, now); // in its old place in the order, or as the last before the next group of this node
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

    /** Whether other nodes commit to the lane. */
    boolean isShared(long now) {
        seen.values().removeIf(at -> now - at > SHARED);
        return seen.keySet().stream().anyMatch(node -> node != self);
    }

    /** Whether this node has begun a turn, and the others wait for it to go on. */
    boolean isInTurn(long now) {
        return groupsInTurn > 0 && now - changedAt < BATCHES_TO_WAIT * batchNanos;
    }

    /**
     * Whether the next group is the last of this node's turn.
     *
     * @param more whether operations wait that are not in it
     */
    boolean endsTurn(long now, boolean more) {
        return isShared(now) && (!more || (isInTurn(now) ? groupsInTurn : 0) + 1 >= GROUPS);
    }

    /** How long it takes until this node may commit, unless the lane changes meanwhile; 0 or less if it may. */
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

    /** Returns the pause between two reads of the lane's groups: most of the turn's remaining time, if it lasts as long as the previous one. */
    long nanosBetweenReads() {
        int left = isFree ? 0 : Math.max(0, groupsExpected - groupsOfLast);
        return Math.round(batchNanos * Math.max(SHORTEST_PAUSE, Math.min(LONGEST_PAUSE, left * EARLY)));
    }

    /** How long it takes until every other node has surely had its turn. */
    long nanosOfAllTurns() {
        return Math.round(BATCHES_TO_WAIT * batchNanos * GROUPS * (seen.size() + 1));
    }
}
