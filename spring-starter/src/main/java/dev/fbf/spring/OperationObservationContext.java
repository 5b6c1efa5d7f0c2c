package dev.fbf.spring;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/** What is known of a call that applies an operation while it is observed. The idempotency key is no part of it. */
public final class OperationObservationContext extends Observation.Context {

    private final String scope;

    private @Nullable OperationOutcome outcome;

    /**
     * Makes one.
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
     * Returns the outcome of the call.
     *
     * @return the outcome; null while the call goes on
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
     * Notes why this call is refused: an exception of a call within its work is not its own.
     *
     * @param refusal what the caller gets
     * @return the same
     */
    public OperationRefusedException refused(OperationRefusedException refusal) {
        outcome = refusal.outcome();
        return refusal;
    }
}
