package dev.fbf.spring;

/** Where applied operations are remembered, which decides whether an operation is new. */
public enum Mode {
    /**
     * In a table that all processes share, with a row per operation until its retry window has passed. Retries may come to any process, and
     * none needs a disk.
     */
    LEDGER,
    /**
     * In the filter of this process, without a row. Retries must come back to this process, and its directory must survive restarts.
     */
    FILTER
}
