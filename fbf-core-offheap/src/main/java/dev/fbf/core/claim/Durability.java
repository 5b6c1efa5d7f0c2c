package dev.fbf.core.claim;

/** The failures that claims and the record of applied operations survive. */
public enum Durability {
    /** The death of the process, as by {@code kill -9}: the operating system keeps every store. */
    PROCESS,
    /**
     * The death of the machine as well, as by a power loss. Before COMMIT, claims are written to a log and forced to
     * the disk, those of many transactions at a time; after a power failure the filters are restored from the log. The
     * log takes 72 bytes for a transaction and 40 for each of its operations, for as long as the filters remember them.
     */
    HOST
}
