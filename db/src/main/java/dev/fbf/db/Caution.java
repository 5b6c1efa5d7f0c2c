package dev.fbf.db;

/**
 * For how many groups a statement is chosen that expects what seldom happens, after another one has failed because it did. Not
 * thread-safe.
 */
final class Caution {

    private static final int FEWEST = 32;
    private static final int MOST = 1_024;

    private int left;
    private int next = FEWEST;

    /** Whether the next group is to be one of them. */
    boolean isNeeded() {
        if (left == 0) {
            return false;
        }
        left--;
        return true;
    }

    /** What seldom happens has happened: twice as many follow as the last time, unless it has not happened in between. */
    void failed() {
        left = next;
        next = Math.min(MOST, 2 * next);
    }

    /** It has not happened. */
    void succeeded() {
        next = FEWEST;
    }
}
