package dev.fbf.spring.operation;

import dev.fbf.spring.OperationObservationContext;
import dev.fbf.spring.OperationOutcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observation of each call of an operation, if the application has an observation registry. Thread-safe. */
final class OperationObservations {

    private static final Logger log = LoggerFactory.getLogger(OperationObservations.class);

    private static final OperationObservationContext.Convention DEFAULT =
            new OperationObservationContext.Convention() {};

    /** Outcomes of calls whose exceptions are failures, not refusals or replays. */
    private static final Set<OperationOutcome> FAILURES =
            EnumSet.of(OperationOutcome.FAILED, OperationOutcome.KEYLESS, OperationOutcome.PENDING);

    private final ObservationRegistry registry;
    private final OperationObservationContext.@Nullable Convention convention;

    /** @param convention the application's convention; null if it has none */
    OperationObservations(ObservationRegistry registry, OperationObservationContext.@Nullable Convention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    /** Call of an operation. It sets the outcome in the context if its result or exception does not determine it. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object, E extends Throwable> {
        @Nullable T call(OperationObservationContext observed) throws E;
    }

    /** Runs the call within an observation, and sets the outcome. */
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
            OperationOutcome outcome = Objects.requireNonNullElse(context.getOutcome(), OperationOutcome.FAILED);
            context.setOutcome(outcome);
            if (FAILURES.contains(outcome)) {
                observation.error(thrown);
            }
            throw thrown;
        } finally {
            log.debug("Operation {} of scope {}: {}", context.getOperation(), scope, context.getOutcome());
            current.close();
            observation.stop();
        }
    }
}
