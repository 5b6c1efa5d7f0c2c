package dev.fbf.core.guard;

/** What operations that were applied, or are in doubt, survive. */
public enum Durability {
    /** The death of the process, as by {@code kill -9}: the operating system keeps every store made. */
    PROCESS,
    /**
     * The machine's death as well, as by a power loss: claims are forced to the disk before COMMIT, many at a time, and
     * are freed when what the filter knows of them has been forced.
     */
    HOST
}
