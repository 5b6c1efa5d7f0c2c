package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * Signals that another call is applying the same operation, or is still producing its response. This call applied nothing; a retry with
 * the same key gets the outcome. Over HTTP: 409 with {@code Retry-After}.
 */
public final class OperationInProgressException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    OperationInProgressException(@Nullable String scope, String message, String detail) {
        super(OperationOutcome.IN_PROGRESS, scope, message, detail, null);
    }
}
