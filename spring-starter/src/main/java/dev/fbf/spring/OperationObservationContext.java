package dev.fbf.spring;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import org.jspecify.annotations.Nullable;

/** Context of the observation of a call that applies an operation. It does not contain the idempotency key. */
public final class OperationObservationContext extends Observation.Context {

    /**
     * Name and keys of the observation of a call: {@code fbf.operation}, with the low-cardinality keys {@code scope} and {@code outcome},
     * and the high-cardinality key {@code operation}, its ID, which spans have and meters do not. Until it is known, the outcome is {@code
     * unknown}. An application can define a bean of this type that overrides methods.
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

        @Override
        default KeyValues getHighCardinalityKeyValues(OperationObservationContext context) {
            String operation = context.getOperation();
            return operation == null ? KeyValues.empty() : KeyValues.of("operation", operation);
        }
    }

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
