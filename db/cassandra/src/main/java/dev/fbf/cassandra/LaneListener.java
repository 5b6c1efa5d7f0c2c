package dev.fbf.cassandra;

import java.time.Duration;

/** Listener to the groups of lanes, called on their threads: must be quick. */
@FunctionalInterface
public interface LaneListener {

    /**
     * Called after a group was applied or has failed.
     *
     * @param size the number of its operations
     * @param waited how long the first of them was queued
     * @param took the time from then until all outcomes were known
     */
    void ended(int size, Duration waited, Duration took);
}
