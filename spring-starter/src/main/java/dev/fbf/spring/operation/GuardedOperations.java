package dev.fbf.spring.operation;

import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.declaration.GuardedMethods;
import java.util.function.Supplier;

/** Makes scopes that are known to the guards. Thread-safe. */
final class GuardedOperations implements IdempotentOperations {

    private final GuardedMethods known;
    private final Supplier<OperationExecutor> executor;

    GuardedOperations(GuardedMethods known, Supplier<OperationExecutor> executor) {
        this.known = known;
        this.executor = executor;
    }

    @Override
    public IdempotentScope.Builder builder(String name) {
        if (!FilterDirectory.SCOPE.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "scope=" + name + ": must have 1 to 200 letters, digits, dots, hyphens or underscores");
        }
        return new GuardedScope.Builder(known, executor, name);
    }
}
