package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * Whether the operation was applied is not known, or it cannot be applied now. A retry with the same key is safe. Over
 * HTTP: 503 with {@code Retry-After}.
 */
public final class OperationUnavailableException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    OperationUnavailableException(Problem problem, String scope, String why, @Nullable Throwable cause) {
        super(problem, "scope=" + scope + ": " + why, cause);
    }
}
