package dev.fbf.spring.operation;

import dev.fbf.spring.OperationRefusedException;
import java.util.Collection;

/** Finds what admits operations. Thread-safe. */
@FunctionalInterface
public interface OperationGuards {

    /**
     * What admits operations, opened for them.
     *
     * @throws OperationRefusedException if it is not open, and the application is stopping
     */
    OperationGuard of(OperationSettings settings);

    /** Opens the scopes that are declared by the start, so that what is wrong with one stops it. */
    default void openAll(Collection<OperationSettings> declared) {
        declared.forEach(this::of);
    }
}
