package dev.fbf.spring;

/** What becomes of a request for an operation that another request is applying. */
public enum WhenInProgress {
    /** It is refused at once, over HTTP with 409. */
    REFUSE,
    /**
     * It waits for the other to end, for the time set as {@code fbf.in-progress-timeout} at most, and gets the response of a retry
     * then; or applies the operation itself, if the other could not. Within a caller's transaction nobody waits: the other
     * may be the caller itself.
     */
    WAIT
}
