package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * The guarded method was not called, or it is not known what became of its work. Each kind says what the caller can do. Over
 * HTTP it is answered as a problem (RFC 9457).
 */
public abstract sealed class OperationRefusedException extends RuntimeException
        permits IdempotencyKeyException,
                IdempotencyKeyReusedException,
                IdempotencyKeyTimeException,
                IdempotencyKeyTooOldException,
                OperationInProgressException,
                OperationUnavailableException {

    private static final long serialVersionUID = 1L;

    private final Problem problem;

    private final String detail;

    /**
     * Makes one.
     *
     * @param message for the application and its logs
     * @param detail for the client: says nothing of how the application is made and configured
     */
    OperationRefusedException(Problem problem, String message, String detail, @Nullable Throwable cause) {
        super(message, cause);
        this.problem = problem;
        this.detail = detail;
    }

    /** Why, in a sentence for an HTTP client. */
    String detail() {
        return detail;
    }

    /** What an HTTP client is told. */
    Problem problem() {
        return problem;
    }
}
