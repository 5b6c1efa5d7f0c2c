package dev.fbf.spring;

import org.jspecify.annotations.Nullable;

/**
 * The guarded method was not called, or it is not known what became of its work. Each kind says what the caller can do. Over
 * HTTP the response is a problem (RFC 9457).
 */
public abstract sealed class OperationRefusedException extends RuntimeException
        permits IdempotencyKeyException,
                IdempotencyKeyReusedException,
                IdempotencyKeyTimeException,
                IdempotencyKeyTooOldException,
                OperationInProgressException,
                OperationUnavailableException {

    private static final long serialVersionUID = 1L;

    private final OperationOutcome outcome;

    private final String detail;

    /**
     * @param message for the application and its logs
     * @param detail for the client: does not say how the application is made and configured
     */
    OperationRefusedException(OperationOutcome outcome, String message, String detail, @Nullable Throwable cause) {
        super(message, cause);
        this.outcome = outcome;
        this.detail = detail;
    }

    /**
     * Returns the reason for an HTTP client, without anything of how the application is made and configured.
     *
     * @return a sentence
     */
    public String detail() {
        return detail;
    }

    /**
     * Returns the kind of refusal, for HTTP clients, meters and traces.
     *
     * @return the outcome
     */
    public OperationOutcome outcome() {
        return outcome;
    }
}
