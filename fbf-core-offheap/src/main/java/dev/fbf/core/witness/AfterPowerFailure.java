package dev.fbf.core.witness;

/**
 * Policy for operations after a power failure while a filter was open, which is detected on Linux only: the filter may lack the
 * operations of the last minute before the failure.
 */
public enum AfterPowerFailure {
    /** Applies operations and logs a warning: a retry of an operation that the filter lacks is applied again. */
    WARN,
    /** Refuses all operations until the filter's window has passed: by then, retries of missing operations can no longer arrive. */
    HOLD_BACK
}
