package dev.fbf.spring.operation;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentScope;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Scope whose operations {@link OperationExecutor} applies. Immutable and thread-safe. */
final class GuardedScope implements IdempotentScope {

    private final Supplier<OperationExecutor> executor;
    private final OperationSettings settings;
    private final @Nullable String caller;

    private GuardedScope(Supplier<OperationExecutor> executor, OperationSettings settings, @Nullable String caller) {
        this.executor = executor;
        this.settings = settings;
        this.caller = caller;
    }

    @Override
    public IdempotentScope caller(String name) {
        return new GuardedScope(executor, settings, name);
    }

    @Override
    @SuppressWarnings("NullAway") // null only where the work returns null
    public <T extends @Nullable Object, E extends Throwable> T execute(
            IdempotencyKey key, Work<T, E> work, Work<T, E> onDuplicate) throws E {
        OperationName name = new OperationName(key, caller, List.of());
        return executor.get().execute(settings, name, execution -> execution.call(work), onDuplicate);
    }

    static final class Builder implements IdempotentScope.Builder {

        private final Declarations declarations;
        private final Supplier<OperationExecutor> executor;
        private final String name;

        private String transactionManager = "";
        private Duration waitInProgress = Duration.ZERO;
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
                    sqlOnly,
                    false);
            declarations.addProgram(settings);
            return new GuardedScope(executor, settings, null);
        }
    }
}
