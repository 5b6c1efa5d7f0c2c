package dev.fbf.cassandra;

import java.time.Duration;

/** Listener to the events of lanes, called on their threads: must be quick. */
public interface LaneListener {

    /** Hears nothing. */
    LaneListener NONE = new LaneListener() {};

    /**
     * A group has been applied, or has failed.
     *
     * @param size how many operations it had
     * @param waited how long the first of them waited to be applied
     * @param took how long it took from then until all outcomes were known
     */
    default void ended(int size, Duration waited, Duration took) {}

    /** A group was not applied because another node had written. */
    default void conflicted() {}

    /** Cassandra has not reported whether a group was applied: it is sent again. */
    default void outcomeUnknown() {}

    /**
     * Groups of other nodes were read.
     *
     * @param groups how many
     */
    default void caughtUp(int groups) {}
}
