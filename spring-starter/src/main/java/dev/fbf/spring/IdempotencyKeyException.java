package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * Signals that the idempotency key of the operation cannot be used. This call applied nothing, and an immediate retry with the same key
 * is refused as well. Each {@link #reason()} has its HTTP status:
 *
 * <ul>
 *   <li>{@link OperationOutcome#KEY_INVALID}: missing or malformed, or its caller has no usable name: 400
 *   <li>{@link OperationOutcome#KEY_TIME}: from the future, or without a required time: 400
 *   <li>{@link OperationOutcome#KEY_TOO_OLD}: so old that the operation may have been applied and forgotten: 412
 *   <li>{@link OperationOutcome#KEY_REUSED}: already applied for a request with another method, path, query or body: 422
 * </ul>
 */
public final class IdempotencyKeyException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    IdempotencyKeyException(OperationOutcome reason, @Nullable String scope, String message, String detail) {
        super(reason, scope, message, detail, null);
    }
}
