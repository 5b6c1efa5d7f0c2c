package dev.fbf.spring;

/**
 * The operation has no idempotency key, or one that cannot be read. Nothing was applied. Over HTTP: 400.
 */
public final class IdempotencyKeyException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    IdempotencyKeyException(String message) {
        this(message, message);
    }

    IdempotencyKeyException(String message, String detail) {
        super(OperationOutcome.KEY_INVALID, message, detail, null);
    }
}
