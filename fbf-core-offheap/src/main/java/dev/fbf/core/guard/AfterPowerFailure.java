package dev.fbf.core.guard;

/**
 * What becomes of new operations when the machine went down while a filter was open, so that it may lack the operations
 * of its last seconds. With {@link Durability#HOST} it lacks none.
 */
public enum AfterPowerFailure {
    /** They are applied, and a warning is logged: a retry of an operation that the filter lacks is applied again. */
    WARN,
    /** They are refused until the filter's window has passed, and with it the time for such retries. */
    HOLD_BACK
}
