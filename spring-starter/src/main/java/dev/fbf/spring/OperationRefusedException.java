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

    OperationRefusedException(Problem problem, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.problem = problem;
    }

    /** What an HTTP client is told. */
    Problem problem() {
        return problem;
    }
}
