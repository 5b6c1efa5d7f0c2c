package dev.fbf.spring;

/**
 * The operation has no idempotency key, or one that cannot be read. Nothing was applied. Over HTTP: 400.
 */
public final class IdempotencyKeyException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message for the application and the client
     */
    public IdempotencyKeyException(String message) {
        this(message, message);
    }

    /**
     * Makes one.
     *
     * @param message for the application and its logs
     * @param detail for the client: does not say how the application is made and configured
     */
    public IdempotencyKeyException(String message, String detail) {
        super(OperationOutcome.KEY_INVALID, message, detail, null);
    }
}
