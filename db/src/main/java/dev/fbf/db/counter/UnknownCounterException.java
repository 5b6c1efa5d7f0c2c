package dev.fbf.db.counter;

import dev.fbf.core.CounterNameException;

/** Signals that a counter does not exist, in a table in which fbf does not create rows. Its increment was not made. */
public final class UnknownCounterException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param table the name of the counter's table
     * @param counter the name, which may come from a client
     */
    public UnknownCounterException(String table, String counter) {
        super("counter=" + CounterNameException.printable(counter) + ": " + table
                + " has no such row; insert it with its first value");
    }
}
