package dev.fbf.loadtest.paper.clicks;

import dev.fbf.core.OperationId;

/** A contender that takes one click at a time. */
abstract class OneByOne implements Contender {

    /** Whether a click seems to be a duplicate; else it is remembered. */
    abstract boolean isDuplicate(OperationId click);

    @Override
    public final void decide(OperationId[] clicks, int from, int to, boolean[] duplicate) {
        for (int i = from; i < to; i++) {
            duplicate[i] = isDuplicate(clicks[i]);
        }
    }
}
