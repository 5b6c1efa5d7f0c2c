package dev.fbf.loadtest.torture.pgwire;

/** What became of a batch that was sent without its client. */
public enum Delivery {
    /** The server said that it committed. */
    COMMITTED,
    /** The server said that it rolled back. */
    ROLLED_BACK,
    /** The server executed it, and the transaction stayed open. */
    EXECUTED,
    /** The server answered with an error. */
    REFUSED,
    /** The server was gone, or did not answer in time. */
    UNKNOWN
}
