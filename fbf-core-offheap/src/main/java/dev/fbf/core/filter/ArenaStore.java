package dev.fbf.core.filter;

/** Where the arenas of a scope are kept. */
interface ArenaStore {

    /**
     * Makes an empty arena. Called by one thread at a time, while another may remove arenas.
     *
     * @throws dev.fbf.core.StorageException if there is no room for it
     */
    Arena create(FilterPlan plan, FilterClock clock);

    /** Removes an arena's file. Threads that still reach the arena may go on: it stays mapped. */
    void remove(Arena arena);
}
