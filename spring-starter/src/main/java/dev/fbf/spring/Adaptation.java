package dev.fbf.spring;

/** What a filter does when the load is not the one it was planned for. Whatever it does, it never forgets early. */
public enum Adaptation {

    /** Nothing: under a higher load it is mistaken more often. */
    NONE,

    /**
     * Puts new operations into a larger arena, or a smaller one, and asks the old one until its window has passed. So it
     * is mistaken no more often than was stated, as long as memory lasts.
     */
    ARENAS
}
