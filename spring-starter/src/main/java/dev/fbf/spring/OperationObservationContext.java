package dev.fbf.spring;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation {@code fbf.operation} of a call. Its low-cardinality keys are {@code scope} and {@code outcome}, which is {@code
 * unknown} until the call has ended; the high-cardinality key {@code operation} is the ID, which spans have and meters do not. It does not
 * contain the idempotency key.
 */
public final class OperationObservationContext extends Observation.Context {

    private final String scope;

    private @Nullable OperationOutcome outcome;
    private @Nullable String operation;

    /**
     * Creates a context.
     *
     * @param scope the operation's scope
     */
    public OperationObservationContext(String scope) {
        this.scope = scope;
    }

    /**
     * Returns the operation's scope.
     *
     * @return its name
     */
    public String getScope() {
        return scope;
    }

    /**
     * Returns the ID of the operation: a digest, which does not reveal the key.
     *
     * @return 32 hexadecimal digits; null before the operation is known, and for a call without a key or with several operations
     */
    public @Nullable String getOperation() {
        return operation;
    }

    /**
     * Sets the ID of the operation.
     *
     * @param id 32 hexadecimal digits
     */
    public void setOperation(String id) {
        operation = id;
    }

    /**
     * Returns the outcome of the call.
     *
     * @return the outcome; null until it is known
     */
    public @Nullable OperationOutcome getOutcome() {
        return outcome;
    }

    /**
     * Sets the outcome of the call.
     *
     * @param outcome the outcome
     */
    public void setOutcome(OperationOutcome outcome) {
        this.outcome = outcome;
    }

    /**
     * Sets the outcome of a refused call.
     *
     * @param refusal the exception for the caller
     * @return the same exception
     */
    public OperationRefusedException refused(OperationRefusedException refusal) {
        outcome = refusal.reason();
        return refusal;
    }
}
