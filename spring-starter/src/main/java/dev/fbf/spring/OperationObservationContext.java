package dev.fbf.spring;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import org.jspecify.annotations.Nullable;

/** Context of the observation of a call that applies an operation. It does not contain the idempotency key. */
public final class OperationObservationContext extends Observation.Context {

    /**
     * Name and keys of the observation of a call: {@code fbf.operation}, with the low-cardinality keys {@code scope} and {@code outcome}.
     * Until it is known, the outcome is {@code unknown}. An application can define a bean of this type that overrides methods.
     */
    public interface Convention extends ObservationConvention<OperationObservationContext> {

        @Override
        default boolean supportsContext(Observation.Context context) {
            return context instanceof OperationObservationContext;
        }

        @Override
        default String getName() {
            return "fbf.operation";
        }

        @Override
        default String getContextualName(OperationObservationContext context) {
            return "operation " + context.getScope();
        }

        @Override
        default KeyValues getLowCardinalityKeyValues(OperationObservationContext context) {
            OperationOutcome outcome = context.getOutcome();
            return KeyValues.of(
                    KeyValue.of("scope", context.getScope()),
                    KeyValue.of("outcome", outcome == null ? "unknown" : outcome.value()));
        }
    }

    private final String scope;

    private @Nullable OperationOutcome outcome;

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
