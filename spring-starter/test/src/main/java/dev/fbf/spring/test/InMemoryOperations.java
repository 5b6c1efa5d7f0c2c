package dev.fbf.spring.test;

import dev.fbf.core.OperationId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The operations of an application context that are applied or being applied, until it is closed. Thread-safe. */
final class InMemoryOperations {

    private final Map<OperationId, InMemoryOperation> byId = new ConcurrentHashMap<>();

    @Nullable InMemoryOperation find(OperationId id) {
        return byId.get(id);
    }

    /** Adds an operation, unless there is one of its name, which this returns. */
    @Nullable InMemoryOperation addIfNew(InMemoryOperation operation) {
        return byId.putIfAbsent(operation.id(), operation);
    }

    void remove(InMemoryOperation operation) {
        byId.remove(operation.id(), operation);
    }
}
