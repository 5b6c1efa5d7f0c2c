package dev.fbf.spring.operation;

import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/** Observes each call that applies an operation, where the application observes. Thread-safe. */
final class OperationObservations {

    private static final OperationObservationContext.Convention DEFAULT =
            new OperationObservationContext.Convention() {};

    private final ObservationRegistry registry;
    private final OperationObservationContext.@Nullable Convention convention;

    /**
     * @param convention that of the application; null if it has none of its own
     */
    OperationObservations(ObservationRegistry registry, OperationObservationContext.@Nullable Convention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    /** A call, which notes an outcome that its result and its exception do not tell. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object, E extends Throwable> {
        @Nullable T call(OperationObservationContext observed) throws E;
    }

    /** Calls, and reports the outcome. */
    <T extends @Nullable Object, E extends Throwable> @Nullable T observe(String scope, Call<T, E> call) throws E {
        OperationObservationContext context = new OperationObservationContext(scope);
        Observation observation = Observation.createNotStarted(convention, DEFAULT, () -> context, registry)
                .start();
        Observation.Scope current = observation.openScope();
        try {
            T result = call.call(context);
            if (context.getOutcome() == null) {
                context.setOutcome(OperationOutcome.APPLIED);
            }
            return result;
        } catch (Throwable thrown) {
            if (context.getOutcome() == null) {
                context.setOutcome(OperationOutcome.FAILED);
            }
            if (context.getOutcome() == OperationOutcome.FAILED) {
                observation.error(thrown); // the others are responses, not errors
            }
            throw thrown;
        } finally {
            current.close();
            observation.stop();
        }
    }
}
