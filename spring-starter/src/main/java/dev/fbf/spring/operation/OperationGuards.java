package dev.fbf.spring.operation;

import dev.fbf.spring.OperationRefusedException;

/** Finds what admits operations. Thread-safe. */
@FunctionalInterface
public interface OperationGuards {

    /**
     * What admits operations, opened for them.
     *
     * @throws OperationRefusedException if it is not open, and the application is stopping
     */
    OperationGuard of(OperationSettings settings);
}
