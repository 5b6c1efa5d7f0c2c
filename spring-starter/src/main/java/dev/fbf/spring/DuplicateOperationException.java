package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * The operation was applied before, and the guarded method names no {@link IdempotentIncrement#onDuplicate()} to call in its stead. Over
 * HTTP this is a success: the client gets 204, unless an exception handler names this very type.
 */
public final class DuplicateOperationException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    DuplicateOperationException(@Nullable String scope, String message, String detail) {
        super(OperationOutcome.REPLAYED, scope, message, detail, null);
    }
}
