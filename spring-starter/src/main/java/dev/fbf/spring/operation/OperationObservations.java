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

    /** Outcomes of calls whose exceptions are failures, not refusals or replays. */
    private static final Set<OperationOutcome> FAILURES =
            EnumSet.of(OperationOutcome.FAILED, OperationOutcome.KEYLESS, OperationOutcome.PENDING);

    private static final String OUTCOME = "outcome";

    private final ObservationRegistry registry;

    OperationObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Call of an operation. It sets the outcome in the context if its result or exception does not determine it. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object, E extends Throwable> {
        @Nullable T call(OperationObservationContext observed) throws E;
    }

    /** Runs the call within an observation, and sets the outcome. */
    <T extends @Nullable Object, E extends Throwable> @Nullable T observe(String scope, Call<T, E> call) throws E {
        OperationObservationContext context = new OperationObservationContext(scope);
        Observation observation = Observation.createNotStarted("fbf.operation", () -> context, registry)
                .contextualName("operation " + scope)
                .lowCardinalityKeyValue("scope", scope)
                .lowCardinalityKeyValue(OUTCOME, "unknown")
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
            observation.lowCardinalityKeyValue(
                    OUTCOME, Objects.requireNonNull(context.getOutcome()).value());
            String operation = context.getOperation();
            if (operation != null) {
                observation.highCardinalityKeyValue("operation", operation);
            }
            observation.stop();
        }
    }
}
