package dev.fbf.core.guard;

/** What operations that were applied, or are in doubt, survive. */
public enum Durability {
    /** The death of the process, as by {@code kill -9}: the operating system keeps every store made. */
    PROCESS,
    /**
     * The machine's death as well, as by a power loss: claims are written to a log that is forced to the disk before COMMIT,
     * those of many transactions at a time; after a power failure the filters are restored from it. The log takes 72 bytes for
     * a transaction and 40 for each of its operations, for as long as the filters remember them.
     */
    HOST
}
