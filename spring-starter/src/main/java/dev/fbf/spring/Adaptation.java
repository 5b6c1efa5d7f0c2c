package dev.fbf.spring;

/** What a filter does when the load is not the one it was planned for. Whatever it does, it never forgets early. */
public enum Adaptation {

    /** Nothing: under a higher load it has more false positives. */
    NONE,

    /**
     * Puts new operations into a larger arena, or a smaller one, and asks the old one until its window has passed. So it
     * has no more false positives than was stated, as long as memory lasts.
     */
    ARENAS
}
