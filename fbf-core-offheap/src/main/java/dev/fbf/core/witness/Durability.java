package dev.fbf.core.witness;

/** The failures that claims and the record of applied operations survive. */
public enum Durability {
    /** Survives a crash of the process, for example by {@code kill -9}: the operating system keeps every store to mapped memory. */
    PROCESS,
    /**
     * Also survives a crash of the machine, for example by a power failure. Before COMMIT, claims are written to a log and forced to the
     * disk, for many transactions at a time. After a power failure the filters are restored from the log. The log takes 72 bytes per
     * transaction and 40 bytes per operation, for as long as the filters remember them.
     */
    HOST
}
