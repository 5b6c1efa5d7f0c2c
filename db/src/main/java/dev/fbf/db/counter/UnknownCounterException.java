package dev.fbf.db.counter;

import dev.fbf.core.CounterNameException;

/** There is no such counter, and the table is not one in which fbf makes them. Nothing was changed. */
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
