package dev.fbf.cassandra;

import java.time.Duration;
import java.util.List;

/** Listener to the events of lanes, called on their threads: must be quick. */
public interface LaneListener {

    /** Listener that ignores all events. */
    LaneListener NONE = new LaneListener() {};

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

    /** {@return a listener that passes events on to this one and another} */
    default LaneListener and(LaneListener other) {
        List<LaneListener> both = List.of(this, other);
        return new LaneListener() {
            @Override
            public void ended(int size, Duration waited, Duration took) {
                both.forEach(each -> each.ended(size, waited, took));
            }

            @Override
            public void conflicted() {
                both.forEach(LaneListener::conflicted);
            }

            @Override
            public void outcomeUnknown() {
                both.forEach(LaneListener::outcomeUnknown);
            }

            @Override
            public void caughtUp(int groups) {
                both.forEach(each -> each.caughtUp(groups));
            }
        };
    }
}
