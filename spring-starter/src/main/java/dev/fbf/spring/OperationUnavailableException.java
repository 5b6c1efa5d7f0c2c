package dev.fbf.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Signals that the operation cannot be applied now, or that its outcome is not known. A retry with the same key is safe. Over HTTP: 503
 * with {@code Retry-After}.
 */
public final class OperationUnavailableException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    private final @Nullable Duration retryAfter;

    OperationUnavailableException(
            OperationOutcome reason,
            @Nullable String scope,
            String message,
            String detail,
            @Nullable Duration retryAfter,
            @Nullable Throwable cause) {
        super(reason, scope, message, detail, cause);
        this.retryAfter = retryAfter;
    }

    /**
     * Returns the minimum time before a retry can succeed.
     *
     * @return the time; null if it is not known
     */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
