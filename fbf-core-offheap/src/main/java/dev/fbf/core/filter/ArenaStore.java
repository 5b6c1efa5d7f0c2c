package dev.fbf.core.filter;

import dev.fbf.core.plan.FilterPlan;

/** Creates and removes the arenas of a scope. */
interface ArenaStore {

    /**
     * Creates an empty arena. Called by one thread at a time, while another may remove arenas.
     *
     * @throws dev.fbf.core.StorageException if there is no room for it
     */
    Arena create(FilterPlan plan, FilterClock clock);

    /** Removes an arena's file. Threads that still reach the arena may continue: it stays mapped. */
    void remove(Arena arena);

    /** Forgets the arenas, which are no longer used. */
    default void close() {
        // it remembers none
    }
}
