package dev.fbf.core.filter;

/** Where the arenas of a scope are kept. */
interface ArenaStore {

    /**
     * Makes an empty arena.
     *
     * @throws dev.fbf.core.StorageException if there is no room for it
     */
    Arena create(FilterPlan plan, FilterClock clock);

    /** Removes an arena that nothing asks any more. Threads that still reach it may go on. */
    void remove(Arena arena);
}
