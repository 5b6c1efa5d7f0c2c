package dev.fbf.core.filter;

/** Creates and removes the arenas of a scope. */
interface ArenaStore {

    /**
     * Creates an empty arena. Called by one thread at a time, while another may remove arenas.
     *
     * @throws dev.fbf.core.StorageException if there is no room for it
     */
    Arena create(FilterPlan plan, FilterClock clock);

    /**
     * Checks that an arena's file has its length: an access behind its end would fault.
     *
     * @throws InternalError if it was truncated
     */
    default void requireWhole(Arena arena) {
        // there is no file
    }

    /** Removes an arena's file. Threads that still reach the arena may continue: it stays mapped. */
    void remove(Arena arena);

    /** Forgets the arenas, which are no longer used. */
    default void close() {
        // it remembers none
    }
}
