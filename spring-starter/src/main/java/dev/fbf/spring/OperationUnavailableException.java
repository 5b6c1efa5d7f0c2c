package dev.fbf.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether the operation was applied is not known, or it cannot be applied now. A retry with the same key is safe. Over
 * HTTP: 503 with {@code Retry-After}.
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
     * Returns how long the reason surely lasts: a retry before that is refused, too.
     *
     * @return null if that is not known
     */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
