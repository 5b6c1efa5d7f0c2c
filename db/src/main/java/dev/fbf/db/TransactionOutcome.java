package dev.fbf.db;

/** How a transaction came out whose COMMIT got no response. The first two are final. */
public enum TransactionOutcome {
    /** The transaction committed. */
    COMMITTED,
    /** The transaction did not commit, and never can. */
    NOT_COMMITTED,
    /** Another transaction, most likely this one, still holds what tells of it: settle again later. */
    STILL_RUNNING,
    /** What the database holds tells of neither: it went back in time, or a second process has this node's name. */
    UNKNOWN
}
