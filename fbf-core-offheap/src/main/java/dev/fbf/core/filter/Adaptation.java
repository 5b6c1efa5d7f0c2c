package dev.fbf.core.filter;

/** What a filter does when the load is not the one it was planned for. Whatever it does, it never forgets early. */
public enum Adaptation {

    /** Nothing: under a higher load it is mistaken more often. */
    NONE,

    /**
     * Puts new operations into a larger arena, or a smaller one, and asks the old one until its window has passed. So it
     * is mistaken no more often than was stated, as long as memory lasts.
     */
    ARENAS,

    /**
     * Algorithm 3 of the paper (section III-E): doubles the number of generations when the false positive probability
     * comes near the stated one, and takes one away when it is far below. The period follows, so that the window stays
     * as it is; the paper's own rule for it does not see to that.
     */
    GENERATIONS
}
