package dev.fbf.loadtest.torture.pgwire;

/** The steps of a guarded transaction that a proxy can tell apart. */
public enum Moment {
    /** The statement that turns the witness, and whatever is sent with it. */
    WITNESS,
    /** What is executed after the witness and before COMMIT. */
    STATEMENT,
    /** COMMIT. */
    COMMIT,
    /** A statement that commits by itself: that of a group. */
    GROUP
}
