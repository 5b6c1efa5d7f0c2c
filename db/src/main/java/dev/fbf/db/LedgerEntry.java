package dev.fbf.db;

/** What {@link LedgerTable#insert} found. */
public enum LedgerEntry {
    /** The operation was unknown: it is entered now, and applied when the caller's transaction commits. */
    NEW,
    /** The operation was applied before. */
    DUPLICATE,
    /** Another transaction is applying the operation at this moment; whether it will commit is open. */
    IN_PROGRESS
}
