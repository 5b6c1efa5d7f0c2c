package dev.fbf.spring;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * {@code fbf.operation}, with the low-cardinality keys {@code scope} and {@code outcome}. While the call goes on, the
 * outcome is {@code unknown}.
 */
public class DefaultOperationObservationConvention implements OperationObservationConvention {

    /** Makes one. */
    public DefaultOperationObservationConvention() {}

    @Override
    public String getName() {
        return "fbf.operation";
    }

    @Override
    public String getContextualName(OperationObservationContext context) {
        return "operation " + context.getScope();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(OperationObservationContext context) {
        OperationOutcome outcome = context.getOutcome();
        return KeyValues.of(
                KeyValue.of("scope", context.getScope()),
                KeyValue.of("outcome", outcome == null ? "unknown" : outcome.value()));
    }
}
