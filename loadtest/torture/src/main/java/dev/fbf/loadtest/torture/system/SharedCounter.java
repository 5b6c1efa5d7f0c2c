package dev.fbf.loadtest.torture.system;

import java.util.ArrayList;
import java.util.List;

/** A counter that is judged by its value: which of its operations were applied is written down nowhere. */
final class SharedCounter {

    private final List<Long> mistaken = new ArrayList<>();
    private long applied;
    private long acknowledged;
    private long unacknowledged;

    void applied() {
        applied++;
    }

    /** An operation whose first request, sent alone, was answered as if it had been applied before. */
    void mistaken(long operation) {
        mistaken.add(operation);
        acknowledged++;
    }

    void acknowledged() {
        acknowledged++;
    }

    void unacknowledged() {
        unacknowledged++;
    }

    /** As many operations as were acknowledged and not applied, of those that the filter may have taken for others. */
    List<Long> falsePositives() {
        return mistaken.subList(0, (int) Math.min(missing(), mistaken.size()));
    }

    /** How many were acknowledged, not applied, and not taken for others by the filter. */
    long lost() {
        return missing() - falsePositives().size();
    }

    private long missing() {
        return Math.max(0, acknowledged - applied);
    }

    /** How many were applied beyond those that were sent. */
    long doubled() {
        return Math.max(0, applied - acknowledged - unacknowledged);
    }

    long unacknowledgedApplied() {
        return Math.min(unacknowledged, Math.max(0, applied - acknowledged));
    }

    long unacknowledgedNew() {
        return unacknowledged - unacknowledgedApplied();
    }

    @Override
    public String toString() {
        return applied + " operations were applied to it; " + acknowledged + " were acknowledged, " + unacknowledged
                + " never";
    }
}
