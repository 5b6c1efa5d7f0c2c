package dev.fbf.db.group;

/** Counts the groups that are sent without the optimistic statement after that has failed. Not thread-safe. */
final class Caution {

    private static final int FEWEST = 32;
    private static final int MOST = 1_024;

    private int left;
    private int next = FEWEST;

    /** Whether the next group is one of them; counts it. */
    boolean isNeeded() {
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }

    /** The optimistic statement has failed: twice as many groups follow as after the last failure, unless it succeeded in between. */
    void failed() {
        left = next;
        next = Math.min(MOST, 2 * next);
    }

    /** The optimistic statement has succeeded. */
    void succeeded() {
        next = FEWEST;
    }
}
