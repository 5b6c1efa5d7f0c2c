package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;

/** A contender that decides of one click after another, and may load the memory for several of them before. */
abstract class OneByOne implements Contender {

    private static final int LOADED_AT_ONCE = 64;

    /** Written alone: the compiler must not omit the loads. */
    long loaded;

    /** Whether a click seems to be a duplicate; else it is remembered. */
    abstract boolean isDuplicate(OperationId click);

    /** Reads the words that the decision of a click mostly needs, and returns anything that depends on them. */
    long load(OperationId click) {
        return 0;
    }

    @Override
    public final boolean[] decide(OperationId... clicks) {
        boolean[] duplicate = new boolean[clicks.length];
        for (int first = 0; first < clicks.length; first += LOADED_AT_ONCE) {
            int end = Math.min(clicks.length, first + LOADED_AT_ONCE);
            for (int i = first; i < end; i++) {
                loaded ^= load(clicks[i]);
            }
            for (int i = first; i < end; i++) {
                duplicate[i] = isDuplicate(clicks[i]);
            }
        }
        return duplicate;
    }
}
