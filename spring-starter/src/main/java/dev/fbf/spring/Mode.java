package dev.fbf.spring;

/** Memory of applied operations, which decides whether an operation is new. */
public enum Mode {
    /**
     * A table that all processes share, with one row per operation until its retry window has passed. Retries may arrive at any process,
     * and no process needs a persistent disk.
     */
    LEDGER,
    /**
     * The filter of one process, without a row per operation. Retries must arrive at the same process, and its directory must survive
     * restarts.
     */
    FILTER
}
