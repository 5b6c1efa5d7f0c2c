package dev.fbf.loadtest.torture.client;

/** How a request ended, as its client saw it. */
public enum Outcome {
    ACKNOWLEDGED,
    /** 409: another request of the same operation is at work. */
    IN_PROGRESS,
    /** 503. */
    UNAVAILABLE,
    /** Any other answer. */
    REFUSED,
    TIMED_OUT,
    /** The connection broke after the request had begun. */
    CUT,
    /** There was no connection to send it on. */
    NOT_CONNECTED
}
