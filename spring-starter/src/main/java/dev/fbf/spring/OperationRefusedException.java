package dev.fbf.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Signals that this call did not apply the operation, or that its outcome is not known. {@link #isRetryable()} shows whether to retry with
 * the same key. Over HTTP the response is a problem (RFC 9457), or 204 for a {@link DuplicateOperationException}.
 */
public abstract sealed class OperationRefusedException extends RuntimeException
        permits DuplicateOperationException,
                IdempotencyKeyException,
                OperationInProgressException,
                OperationUnavailableException {

    private static final long serialVersionUID = 1L;

    private final OperationOutcome reason;

    private final @Nullable String scope;

    private final String detail;

    OperationRefusedException(
            OperationOutcome reason, @Nullable String scope, String message, String detail, @Nullable Throwable cause) {
        super(scope == null ? message : "scope=" + scope + ": " + message, cause);
        this.reason = reason;
        this.scope = scope;
        this.detail = detail;
    }

    /**
     * Creates the exception for a reason. fbf creates its refusals with this method; tests of error handlers can use it too.
     *
     * @param reason the reason of the refusal
     * @param scope the operation's scope; null if no guarded method was reached
     * @param message for the application and its logs
     * @param detail the detail for the client, without internals of the application
     * @return an exception of the reason's type
     * @throws IllegalArgumentException if the reason is not a refusal
     */
    public static OperationRefusedException of(
            OperationOutcome reason, @Nullable String scope, String message, String detail) {
        return of(reason, scope, message, detail, null, null);
    }

    /**
     * Creates the exception for a reason. Only an {@link OperationUnavailableException} keeps the time and the cause.
     *
     * @param reason the reason of the refusal
     * @param scope the operation's scope; null if no guarded method was reached
     * @param message for the application and its logs
     * @param detail the detail for the client, without internals of the application
     * @param retryAfter the minimum time until a retry can succeed; null if unknown
     * @param cause the exception from the attempt to apply the operation; null if there was none
     * @return an exception of the reason's type
     * @throws IllegalArgumentException if the reason is not a refusal
     */
    public static OperationRefusedException of(
            OperationOutcome reason,
            @Nullable String scope,
            String message,
            String detail,
            @Nullable Duration retryAfter,
            @Nullable Throwable cause) {
        return switch (reason.status()) {
            case 0 -> throw new IllegalArgumentException("reason=" + reason + ": no operation is refused for that");
            case 204 -> new DuplicateOperationException(scope, message, detail);
            case 409 -> new OperationInProgressException(scope, message, detail);
            case 503 -> new OperationUnavailableException(reason, scope, message, detail, retryAfter, cause);
            default -> new IdempotencyKeyException(reason, scope, message, detail);
        };
    }

    /**
     * Returns the reason of the refusal: the outcome of the call, as in meters and traces.
     *
     * @return the reason
     */
    public OperationOutcome reason() {
        return reason;
    }

    /**
     * Returns the operation's scope.
     *
     * @return its name; null if the request was refused before it reached a guarded method
     */
    public @Nullable String scope() {
        return scope;
    }

    /**
     * Returns whether the caller should retry with the same key.
     *
     * @return false for a duplicate, and for a key that cannot be used
     */
    public boolean isRetryable() {
        return reason.isRetryable();
    }

    /**
     * Returns the reason and the action for an HTTP client, without internals of the application.
     *
     * @return sentences
     */
    public String detail() {
        return detail;
    }
}
