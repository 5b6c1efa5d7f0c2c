package dev.fbf.spring;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * What the observation of a call of a guarded method is called, and what it tells. A bean of this type takes the place
 * of {@link DefaultOperationObservationConvention}.
 */
public interface OperationObservationConvention extends ObservationConvention<OperationObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OperationObservationContext;
    }
}
