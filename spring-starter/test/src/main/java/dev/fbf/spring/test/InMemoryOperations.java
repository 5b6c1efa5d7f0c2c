package dev.fbf.spring.test;

import dev.fbf.core.OperationId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Registry of an application context's operations that are applied or being applied, until the context is closed. Thread-safe. */
final class InMemoryOperations {

    private final Map<OperationId, InMemoryOperation> byId = new ConcurrentHashMap<>();

    @Nullable InMemoryOperation find(OperationId id) {
        return byId.get(id);
    }

    /** Adds an operation, or returns the existing one with the same id; null if it was added. */
    @Nullable InMemoryOperation addIfNew(InMemoryOperation operation) {
        return byId.putIfAbsent(operation.id(), operation);
    }

    void remove(InMemoryOperation operation) {
        byId.remove(operation.id(), operation);
    }
}
