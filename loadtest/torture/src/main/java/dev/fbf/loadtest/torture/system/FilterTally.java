package dev.fbf.loadtest.torture.system;

import dev.fbf.core.filter.WatchedFilter.WatchedArena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts what happens to one filter from one look to the next. Thread-safe. */
final class FilterTally {

    private final Map<Long, Long> epochs = new HashMap<>();
    private long newest;
    private long firstBytes;
    private long newestBytes;
    private double lastFpp;
    private long refreshes;
    private long larger;
    private long smaller;
    private long dropped;
    private double expectedFalsePositives;

    /**
     * Takes a look.
     *
     * @param arenas the oldest first
     */
    synchronized void look(List<WatchedArena> arenas, long newOperations) {
        double right = 1;
        for (WatchedArena arena : arenas) {
            right *= 1 - arena.estimatedFpp();
            Long before = epochs.put(arena.number(), arena.epoch());
            refreshes += before == null ? 0 : arena.epoch() - before;
            if (arena.number() > newest) {
                takeOver(arena);
            }
        }
        int known = epochs.size();
        epochs.keySet().retainAll(arenas.stream().map(WatchedArena::number).toList());
        dropped += known - epochs.size();
        // whenever between the two looks they came: the higher probability is not too low for them
        expectedFalsePositives += newOperations * Math.max(lastFpp, 1 - right);
        lastFpp = 1 - right;
    }

    private void takeOver(WatchedArena arena) {
        if (newest > 0) {
            larger += arena.bytes() >= newestBytes ? 1 : 0;
            smaller += arena.bytes() >= newestBytes ? 0 : 1;
        }
        firstBytes = newest > 0 ? firstBytes : arena.bytes();
        newest = arena.number();
        newestBytes = arena.bytes();
    }

    /** How often the filter is mistaken, by its own estimate at the last look. */
    synchronized double estimatedFpp() {
        return lastFpp;
    }

    /** Whether it has grown and not shrunk again. */
    synchronized boolean isLarge() {
        return newestBytes > firstBytes;
    }

    synchronized long refreshes() {
        return refreshes;
    }

    /** How many arenas took over from a smaller one: the filter grew. */
    synchronized long larger() {
        return larger;
    }

    /** How many arenas took over from a larger one: the filter shrank. */
    synchronized long smaller() {
        return smaller;
    }

    synchronized long dropped() {
        return dropped;
    }

    /** How many of the new operations the filter should have taken for others, by its own estimate. */
    synchronized double expectedFalsePositives() {
        return expectedFalsePositives;
    }
}
