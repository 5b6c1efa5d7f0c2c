package dev.fbf.core.filter;

import dev.fbf.core.memory.CheckedWord;

/**
 * The state of an arena, packed into one value of {@link CheckedWord#BITS} bits, which is read and replaced atomically: {@code epoch << 7 |
 * live << 1 | clean}.
 */
final class ArenaState {

    private static final long CLEAN = 1;
    private static final int LIVE_SHIFT = 1;
    private static final int LIVE_MASK = 63;
    private static final int EPOCH_SHIFT = 7;
    private static final long EPOCH_MASK = (1L << (CheckedWord.BITS - EPOCH_SHIFT)) - 1;

    private ArenaState() {}

    static long of(long epoch, int live, boolean clean) {
        return epoch << EPOCH_SHIFT | (long) live << LIVE_SHIFT | (clean ? CLEAN : 0);
    }

    /** Returns the number of the newest generation. */
    static long epoch(long state) {
        return state >>> EPOCH_SHIFT & EPOCH_MASK;
    }

    /** Returns the number of live generations, including the newest: at most one less than the number of bits in a lane. */
    static int live(long state) {
        return (int) (state >>> LIVE_SHIFT) & LIVE_MASK;
    }

    /** Returns the number of the oldest live generation. */
    static long oldest(long state) {
        return epoch(state) - live(state) + 1;
    }

    /** Returns whether the bits of all generations that are not live are zero. */
    static boolean isClean(long state) {
        return (state & CLEAN) != 0;
    }
}
