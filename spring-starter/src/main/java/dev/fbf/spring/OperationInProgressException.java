package dev.fbf.spring;

/**
 * Another request is applying the same operation now. Nothing was applied by this one; a retry with the same key gets
 * the outcome. Over HTTP: 409 with {@code Retry-After}.
 */
public final class OperationInProgressException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param scope the operation's scope
     */
    public OperationInProgressException(String scope) {
        super(
                OperationOutcome.IN_PROGRESS,
                "scope=" + scope + ": another request is applying the same operation",
                "Another request is applying the same operation.",
                null);
    }
}
