package dev.fbf.spring;

import dev.fbf.core.guard.Refusal;
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

    private final OperationOutcome outcome;

    private final String detail;

    /**
     * Makes one.
     *
     * @param message for the application and its logs
     * @param detail for the client: says nothing of how the application is made and configured
     */
    OperationRefusedException(OperationOutcome outcome, String message, String detail, @Nullable Throwable cause) {
        super(message, cause);
        this.outcome = outcome;
        this.detail = detail;
    }

    /**
     * Returns what the caller of a refused operation gets, unless the operation was applied before.
     *
     * @param refusal why the operation is refused
     * @param scope the operation's scope
     * @return the exception of this kind of refusal
     * @throws IllegalArgumentException if {@code refusal} is {@link Refusal#APPLIED}
     */
    public static OperationRefusedException of(Refusal refusal, String scope) {
        return switch (refusal) {
            case APPLIED -> throw new IllegalArgumentException("refusal=" + refusal + ": is a replay");
            case IN_PROGRESS -> new OperationInProgressException(scope);
            case IN_DOUBT -> OperationUnavailableException.inDoubt(scope, null);
            case NO_ROOM ->
                new OperationUnavailableException(
                        OperationOutcome.NO_ROOM,
                        scope,
                        "as many operations as there is room for are being applied",
                        " (fbf.max-claims)",
                        null);
            case NO_TURN ->
                new OperationUnavailableException(
                        OperationOutcome.NO_ROOM,
                        scope,
                        "more operations wait to be applied than could be in time, or another transaction has locked the"
                                + " counter's row",
                        " (fbf.counters.timeout)",
                        null);
            case CONFLICT ->
                new OperationUnavailableException(
                        OperationOutcome.NO_ROOM,
                        scope,
                        "other transactions kept the operation from committing, each time that it was tried",
                        "",
                        null);
            case RECOVERING ->
                new OperationUnavailableException(
                        OperationOutcome.RECOVERING,
                        scope,
                        OperationUnavailableException.RECOVERING,
                        ", or operations are held back after a power failure or beside another node",
                        null);
            case STOPPED ->
                new OperationUnavailableException(
                        OperationOutcome.STOPPED, scope, "the application is stopping", "", null);
        };
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
