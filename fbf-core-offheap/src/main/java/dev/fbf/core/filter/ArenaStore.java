package dev.fbf.core.filter;

import dev.fbf.core.plan.FilterPlan;

/** Store of a scope's arenas. */
@FunctionalInterface
interface ArenaStore {

    /**
     * Creates an empty arena. Not called concurrently with itself; may be called concurrently with {@link #remove}.
     *
     * @throws dev.fbf.core.StorageException if its file cannot be created, for example because the disk is full
     * @throws OutOfMemoryError if the memory has no room for it
     */
    Arena create(FilterPlan plan, FilterClock clock);

    /** Removes an arena's file, if there is one. Threads that still use the arena may continue: it stays mapped. */
    default void remove(Arena arena) {}

    /** Releases the store's references to the arenas, which are no longer used. */
    default void close() {}
}
