package dev.fbf.spring.jdbc;

import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.operation.OperationSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Operations without the guard: every call is applied, including retries. */
record UnguardedOperations(PlainTransactions transactions) implements IdempotentOperations {

    @Override
    public IdempotentScope.Builder builder(String name) {
        return new Builder(transactions, OperationSettings.requireScope(name));
    }

    private record Scope(PlainTransactions transactions, OperationSettings settings) implements IdempotentScope {

        @Override
        public IdempotentScope caller(String name) {
            return this;
        }

        @Override
        @SuppressWarnings("NullAway") // null only where the work returns null
        public <T extends @Nullable Object, E extends Throwable> T execute(
                IdempotencyKey key, Work<T, E> work, Work<T, E> onDuplicate) throws E {
            return transactions.call(settings, work);
        }

        @Override
        public <T extends @Nullable Object, E extends Throwable> int executeAll(
                Collection<T> items, Function<? super T, IdempotencyKey> key, BatchWork<T, E> work) throws E {
            List<T> all = new ArrayList<>(items);
            if (!all.isEmpty()) {
                transactions.<Boolean, E>call(settings, () -> {
                    work.run(all);
                    return true;
                });
            }
            return all.size();
        }
    }

    private static final class Builder implements IdempotentScope.Builder {

        private final PlainTransactions transactions;
        private final String scope;

        private String transactionManager = "";

        Builder(PlainTransactions transactions, String scope) {
            this.transactions = transactions;
            this.scope = OperationSettings.requireScope(scope);
        }

        @Override
        public Builder transactionManager(String beanName) {
            transactionManager = beanName;
            return this;
        }

        @Override
        public Builder waitInProgress(Duration longest) {
            OperationSettings.requireWait(longest);
            return this;
        }

        @Override
        public Builder sqlOnly(boolean onlySql) {
            return this;
        }

        @Override
        public IdempotentScope build() {
            return new Scope(
                    transactions,
                    new OperationSettings(
                            "The scope " + scope + " of IdempotentOperations",
                            scope,
                            transactionManager,
                            Duration.ZERO,
                            false,
                            false));
        }
    }
}
