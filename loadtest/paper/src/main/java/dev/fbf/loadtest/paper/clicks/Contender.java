package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;

/**
 * Decides of each click whether it is a duplicate, by what it remembers of the clicks of the last window. For one thread.
 */
interface Contender {

    /**
     * Moves the time forward, and forgets.
     *
     * @param slice the slice of the clicks that follow: each slice is announced once, in order
     */
    void advance(int slice);

    /** Checks clicks in order, and adds the new ones. Returns, for each click, whether it was reported as a duplicate. */
    boolean[] decide(OperationId... clicks);

    /** The memory that it takes, with all that it needs to forget. */
    long bytes();
}
