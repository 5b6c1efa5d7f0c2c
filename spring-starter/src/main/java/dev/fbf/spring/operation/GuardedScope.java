package dev.fbf.spring.operation;

import dev.fbf.core.OperationId;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Scope whose operations {@link OperationExecutor} applies. Immutable and thread-safe. */
record GuardedScope(
        Supplier<OperationExecutor> executor,
        OperationSettings settings,
        @Nullable String caller) implements IdempotentScope {

    @Override
    public IdempotentScope caller(String name) {
        return new GuardedScope(executor, settings, name);
    }

    @Override
    @SuppressWarnings("NullAway") // null only where the work returns null
    public <T extends @Nullable Object, E extends Throwable> T execute(
            IdempotencyKey key, Work<T, E> work, Work<T, E> onDuplicate) throws E {
        OperationExecutor its = executor.get();
        return its.execute(
                settings, its.guards, key, caller, operation(key), execution -> execution.call(work), onDuplicate);
    }

    private @Nullable Operation operation(IdempotencyKey key) {
        return Operation.ofProgram(settings.scope(), caller, key, List.of(), null);
    }

    @Override
    public <T extends @Nullable Object, E extends Throwable> int executeAll(
            Collection<T> items, Function<? super T, IdempotencyKey> key, BatchWork<T, E> work) throws E {
        List<Operation> operations = new ArrayList<>();
        Map<OperationId, T> named = new HashMap<>();
        for (T item : items) {
            Operation operation = operation(key.apply(item));
            if (operation == null) {
                throw new IllegalArgumentException("scope=" + settings.scope()
                        + ": the key of a request names one operation, and not those of a batch. No operation was applied. Name each"
                        + " with IdempotencyKey.of(…).");
            }
            if (named.putIfAbsent(operation.id(), item) == null) {
                operations.add(operation);
            }
        }
        return executor.get().executeAll(settings, operations, applied -> {
            List<T> its = new ArrayList<>();
            applied.forEach(operation -> its.add(named.get(operation.id())));
            work.run(its);
        });
    }

    static final class Builder implements IdempotentScope.Builder {

        private final Declarations declarations;
        private final Supplier<OperationExecutor> executor;
        private final String name;

        private String transactionManager = "";
        private @Nullable Duration waitInProgress;
        private @Nullable Duration retryWindow;
        private boolean sqlOnly;

        Builder(Declarations declarations, Supplier<OperationExecutor> executor, String name) {
            this.declarations = declarations;
            this.executor = executor;
            this.name = OperationSettings.requireScope(name);
        }

        @Override
        public Builder transactionManager(String beanName) {
            transactionManager = beanName;
            return this;
        }

        @Override
        public Builder waitInProgress(Duration longest) {
            waitInProgress = OperationSettings.requireWait(longest);
            return this;
        }

        @Override
        public Builder retryWindow(Duration window) {
            retryWindow = OperationSettings.requireWindow(window);
            return this;
        }

        @Override
        public Builder sqlOnly(boolean onlySql) {
            sqlOnly = onlySql;
            return this;
        }

        @Override
        public IdempotentScope build() {
            OperationSettings settings = new OperationSettings(
                    "The scope " + name + " of IdempotentOperations",
                    name,
                    transactionManager,
                    waitInProgress,
                    retryWindow,
                    sqlOnly,
                    false);
            declarations.addProgram(settings);
            return new GuardedScope(executor, settings, null);
        }
    }
}
