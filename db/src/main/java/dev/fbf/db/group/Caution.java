package dev.fbf.db.group;

/** Number of groups to check before they are sent, after an unchecked group has failed. Not thread-safe. */
final class Caution {

    private static final int FEWEST = 32;
    private static final int MOST = 1_024;

    private int left;
    private int next = FEWEST;
    private boolean ofLocks;

    /** Returns whether the next group must be checked before it is sent, and counts it. */
    boolean isNeeded() {
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }

    /** Returns whether the last failure was caused by a locked row. */
    boolean isOfLocks() {
        return ofLocks;
    }

    /** Called when an unchecked group has failed. Each failure without a success in between doubles the number of groups. */
    void failed(boolean becauseOfLocks) {
        ofLocks = becauseOfLocks;
        left = next;
        next = Math.min(MOST, 2 * next);
    }

    /** Called when an unchecked group has succeeded. */
    void succeeded() {
        next = FEWEST;
    }
}
