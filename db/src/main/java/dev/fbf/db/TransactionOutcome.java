package dev.fbf.db;

/** The outcome of a transaction whose COMMIT got no response. The first two are final. */
public enum TransactionOutcome {
    /** The transaction committed. */
    COMMITTED,
    /** The transaction did not commit, and cannot commit any more. */
    NOT_COMMITTED,
    /** The settlement needs a lock that is still held, most likely by this transaction: settle again later. */
    STILL_RUNNING,
    /** Not known: the database was restored, a power failure has lost the node's writes, or another process uses a copy of its files. */
    UNKNOWN
}
