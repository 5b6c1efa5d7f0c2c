package dev.fbf.db.counter;

import dev.fbf.core.CounterNameException;

/** Signals a counter that does not exist, in a table in which fbf creates none. No counter was changed. */
public final class UnknownCounterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Reports a counter that is not there.
     *
     * @param table the name of its table
     */
    public UnknownCounterException(String table, String counter) {
        super("counter=" + CounterNameException.printable(counter) + ": " + table
                + " has no such row; insert it with its first value");
    }
}
