package dev.fbf.cassandra;

import java.time.Duration;

/** Listener to the events of lanes, called on their threads: must be quick. */
public interface LaneListener {

    /**
     * Called after a group was applied or has failed.
     *
     * @param size the number of its operations
     * @param waited how long the first of them was queued
     * @param took the time from then until all outcomes were known
     */
    default void ended(int size, Duration waited, Duration took) {}

    /** Called when a send of a group was not applied, because another node or an earlier send had written. */
    default void conflicted() {}

    /** Called when the outcome of a group is unknown; the group is sent again until its timeout. */
    default void outcomeUnknown() {}

    /**
     * Called after groups of other nodes were read.
     *
     * @param groups the number of these groups
     */
    default void caughtUp(int groups) {}
}
