package dev.fbf.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The guarded method was not called, or the outcome of its work is not known. {@link #reason()} says why, {@link #isRetryable()} whether
 * sending the same key again can help. Over HTTP the response is a problem (RFC 9457), or 204 for a
 * {@link DuplicateOperationException}.
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
     * Returns the exception of a reason. fbf makes its refusals here, and tests of error handlers can do the same.
     *
     * @param reason why the operation is refused
     * @param scope the operation's scope; null if no guarded method was reached
     * @param message for the application and its logs
     * @param detail for the client: without anything of how the application is made and configured
     * @return the exception of the type that belongs to the reason
     * @throws IllegalArgumentException if no operation is refused for this reason
     */
    public static OperationRefusedException of(
            OperationOutcome reason, @Nullable String scope, String message, String detail) {
        return of(reason, scope, message, detail, null, null);
    }

    /**
     * Returns the exception of a reason, with its cause; otherwise as {@link #of(OperationOutcome, String, String, String)}.
     *
     * @param reason why the operation is refused
     * @param scope the operation's scope; null if no guarded method was reached
     * @param message for the application and its logs
     * @param detail for the client: without anything of how the application is made and configured
     * @param retryAfter how long the reason surely lasts; null if that is not known
     * @param cause what was thrown when the operation was applied; null if nothing was
     * @return the exception of the type that belongs to the reason
     * @throws IllegalArgumentException if no operation is refused for this reason
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
     * Returns why the operation is refused: the outcome of the call, as meters and traces name it.
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
     * Returns whether sending the same key again, a little later, can help.
     *
     * @return false where each retry gets the same response
     */
    public boolean isRetryable() {
        return reason.isRetryable();
    }

    /**
     * Returns the reason for an HTTP client, without anything of how the application is made and configured.
     *
     * @return a sentence
     */
    public String detail() {
        return detail;
    }
}
