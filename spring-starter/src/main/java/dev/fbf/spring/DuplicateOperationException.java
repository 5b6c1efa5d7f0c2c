package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * Signals that the operation was applied before, and that there is no result in its place: the guarded method has no {@link
 * IdempotentIncrement#onDuplicate()}, or the key came from a request whose first response was not kept. Over HTTP this is a success: the
 * client gets 204, unless an exception handler is declared for this type.
 */
public final class DuplicateOperationException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    DuplicateOperationException(@Nullable String scope, String message, String detail) {
        super(OperationOutcome.REPLAYED, scope, message, detail, null);
    }
}
