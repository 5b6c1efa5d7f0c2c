package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;

/**
 * Decides of each click whether it is a duplicate, by what it remembers of the clicks of the last window. For one thread.
 */
interface Contender extends AutoCloseable {

    /**
     * Moves the time forward, and forgets.
     *
     * @param slice the slice of the clicks that follow: each slice is announced once, in order
     */
    void advance(int slice);

    /**
     * Decides of clicks, one after another, and remembers those that are new to it.
     *
     * @param clicks where they are, from {@code from} to {@code to}, exclusive
     * @param duplicate where the decisions go, at the same indexes
     */
    void decide(OperationId[] clicks, int from, int to, boolean[] duplicate);

    /** The memory that it takes, with all that it needs to forget. */
    long bytes();

    @Override
    default void close() {}
}
