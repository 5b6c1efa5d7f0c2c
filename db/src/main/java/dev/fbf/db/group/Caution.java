package dev.fbf.db.group;

/** Counts the groups that are checked before they are sent, after one has failed that was not. Not thread-safe. */
final class Caution {

    private static final int FEWEST = 32;
    private static final int MOST = 1_024;

    private int left;
    private int next = FEWEST;
    private boolean ofLocks;

    /** Whether the next group is one of them; counts it. */
    boolean isNeeded() {
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }

    /** Whether a locked row was the reason of the last failure. */
    boolean isOfLocks() {
        return ofLocks;
    }

    /** A group that was not checked has failed: twice as many follow as after the last failure, unless one succeeded in between. */
    void failed(boolean becauseOfLocks) {
        ofLocks = becauseOfLocks;
        left = next;
        next = Math.min(MOST, 2 * next);
    }

    /** A group that was not checked has succeeded. */
    void succeeded() {
        next = FEWEST;
    }
}
