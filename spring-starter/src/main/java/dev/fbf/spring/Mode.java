package dev.fbf.spring;

/** What decides whether an operation is new. */
public enum Mode {
    /** The filter of this process. Retries must come back to the process that saw the operation first. */
    FILTER,
    /** A table that many processes share, with a row for each operation. Retries may come to any of them. */
    LEDGER
}
