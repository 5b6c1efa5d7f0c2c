package dev.fbf.spring.operation;

import dev.fbf.spring.OperationRefusedException;
import java.util.Collection;

/** Registry of guards. Thread-safe. */
@FunctionalInterface
public interface OperationGuards {

    /**
     * Returns the guard for operations with these settings, and opens it if necessary.
     *
     * @throws OperationRefusedException if it is not open, and the application is stopping or the database cannot be reached
     */
    OperationGuard of(OperationSettings settings);

    /** Opens the scopes declared before the start, so that an error in one stops the start. */
    default void openAll(Collection<OperationSettings> declared) {
        declared.forEach(this::of);
    }
}
