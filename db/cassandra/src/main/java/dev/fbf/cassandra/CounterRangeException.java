package dev.fbf.cassandra;

/** Signals that a counter's value would leave the range of 64 bits, or its share in a lane that lane's part of it: nothing was added. */
public final class CounterRangeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** @param lanes the number of lanes, each of which has an equal part of the range: the sum of all shares cannot leave it */
    CounterRangeException(String counter, long share, long delta, int lanes) {
        super("counter=" + counter + ": " + share + " plus " + delta + " is outside the range of "
                + (lanes == 1 ? "64 bits" : "one of the " + lanes + " lanes, which divide 64 bits")
                + "; nothing was added");
    }
}
