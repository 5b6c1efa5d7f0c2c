package dev.fbf.spring.operation;

import dev.fbf.spring.OperationOutcome;
import dev.fbf.spring.OperationRefusedException;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observation of each call of an operation, if the application has an observation registry. Thread-safe. */
record OperationObservations(ObservationRegistry registry) {

    private static final Logger log = LoggerFactory.getLogger(OperationObservations.class);

    /** Outcomes of calls whose exceptions are failures, not refusals or replays. */
    private static final Set<OperationOutcome> FAILURES =
            EnumSet.of(OperationOutcome.FAILED, OperationOutcome.KEYLESS, OperationOutcome.PENDING);

    private static final String OUTCOME = "outcome";

    /** Context of a call. */
    static final class Context extends Observation.Context {

        /** The ID of the operation; null before it is known, and for a call without a key or with several operations. */
        @Nullable String operation;

        /** The outcome of the call; null until it is known. */
        @Nullable OperationOutcome outcome;
    }

    /** Call of an operation. It sets the outcome in the context, unless it returns from an applied operation, or throws its own refusal. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object, E extends Throwable> {
        @Nullable T call(Context observed) throws E;
    }

    /** Runs the call within an observation, and sets the outcome. */
    <T extends @Nullable Object, E extends Throwable> @Nullable T observe(String scope, Call<T, E> call) throws E {
        Context context = new Context();
        Observation observation = Observation.createNotStarted("fbf.operation", () -> context, registry)
                .contextualName("operation " + scope)
                .lowCardinalityKeyValue("scope", scope)
                .lowCardinalityKeyValue(OUTCOME, "unknown")
                .start();
        Observation.Scope current = observation.openScope();
        try {
            T result = call.call(context);
            if (context.outcome == null) {
                context.outcome = OperationOutcome.APPLIED;
            }
            return result;
        } catch (Throwable thrown) {
            if (context.outcome == null) {
                context.outcome = thrown instanceof OperationRefusedException refusal
                        ? refusal.reason()
                        : OperationOutcome.FAILED;
            }
            if (FAILURES.contains(context.outcome)) {
                observation.error(thrown);
            }
            throw thrown;
        } finally {
            log.debug("Operation {} of scope {}: {}", context.operation, scope, context.outcome);
            current.close();
            observation.lowCardinalityKeyValue(
                    OUTCOME, Objects.requireNonNull(context.outcome).value());
            if (context.operation != null) {
                observation.highCardinalityKeyValue("operation", context.operation);
            }
            observation.stop();
        }
    }
}
