package dev.fbf.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * Whether the operation was applied is not known, or it cannot be applied now. A retry with the same key is safe. Over
 * HTTP: 503 with {@code Retry-After}.
 */
public final class OperationUnavailableException extends OperationRefusedException {

    private static final long serialVersionUID = 1L;

    private final @Nullable Duration retryAfter;

    /**
     * Makes one.
     *
     * @param outcome the outcome of the call
     * @param scope the operation's scope; null if its method was not reached
     * @param why for everybody
     * @param more for the application and its logs alone; empty if there is nothing to add
     * @param retryAfter how long the reason surely lasts; null if that is not known
     * @param cause what was thrown when the operation was applied; null if nothing was
     */
    public OperationUnavailableException(
            OperationOutcome outcome,
            @Nullable String scope,
            String why,
            String more,
            @Nullable Duration retryAfter,
            @Nullable Throwable cause) {
        super(
                outcome,
                (scope == null ? "No guarded method was reached: " : "scope=" + scope + ": ") + why + more,
                StringUtils.capitalize(why) + ".",
                cause);
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
