package dev.fbf.spring;

/**
 * The idempotency key carries a time too far in the future, or none where one is required. Nothing was applied. Over
 * HTTP: 400.
 */
public final class IdempotencyKeyTimeException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message for the application and its logs
     * @param detail for the client: does not say how the application is made and configured
     */
    public IdempotencyKeyTimeException(String message, String detail) {
        super(OperationOutcome.KEY_TIME, message, detail, null);
    }
}
