package dev.fbf.cassandra;

/** Signals that a counter's value would leave the range of 64 bits: nothing was added. */
public final class CounterRangeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** @param lanes the number of lanes, each of which has an equal part of the range, so that their sum cannot leave it */
    CounterRangeException(String counter, long share, long delta, int lanes) {
        super("counter=" + counter + ": its value " + share + " plus " + delta + " does not fit into 64 bits"
                + (lanes == 1 ? "" : ", of which each of the " + lanes + " lanes has its share"));
    }
}
