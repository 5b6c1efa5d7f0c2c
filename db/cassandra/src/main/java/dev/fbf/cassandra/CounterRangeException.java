package dev.fbf.cassandra;

/** A counter's value would leave the range of 64 bits: nothing was added. */
public final class CounterRangeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    CounterRangeException(String counter, long value, long delta) {
        super("counter=" + counter + ": its value " + value + " plus " + delta + " does not fit into 64 bits");
    }
}
