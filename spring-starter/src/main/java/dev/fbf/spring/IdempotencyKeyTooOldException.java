package dev.fbf.spring;

/**
 * The idempotency key carries a time so long ago that an operation of that time may have been forgotten. Nothing was
 * applied now, and whether it was before cannot be told. Over HTTP: 412.
 */
public final class IdempotencyKeyTooOldException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message for the application and its logs
     * @param detail for the client: does not say how the application is made and configured
     */
    public IdempotencyKeyTooOldException(String message, String detail) {
        super(OperationOutcome.KEY_TOO_OLD, message, detail, null);
    }
}
