package dev.fbf.spring.test;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.jdbc.PlainCounters;
import dev.fbf.spring.jdbc.PlainTransactions;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationSettings;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;

/** Builder of counters whose operations are kept in memory; on PostgreSQL, of production's counters. Not thread-safe. */
final class InMemoryCountersBuilder extends PlainCounters.Builder {

    private final Declarations declarations;
    private final ObjectProvider<OperationExecutor> executor;
    private final InMemoryCalls calls;
    private final InMemoryGuards guards;
    private final ObjectProvider<SqlCounters.Builder> production;

    InMemoryCountersBuilder(
            PlainTransactions transactions,
            FbfProperties.Schema schema,
            Declarations declarations,
            ObjectProvider<OperationExecutor> executor,
            InMemoryCalls calls,
            InMemoryGuards guards,
            ObjectProvider<SqlCounters.Builder> production) {
        super(transactions, schema);
        this.declarations = declarations;
        this.executor = executor;
        this.calls = calls;
        this.guards = guards;
        this.production = production;
    }

    @Override
    public SqlCounters build() {
        if (!guards.isInMemory(settings())) {
            return build(production.getObject());
        }
        declarations.addCounters(settings(), () -> {});
        return super.build();
    }

    @Override
    protected PlainCounters.Values withoutDatabase() {
        return new InMemoryValues();
    }

    @Override
    protected PlainCounters.OncePerKey oncePerKey(OperationSettings settings) {
        return (key, counters, increments, values) -> Objects.requireNonNull(executor.getObject()
                .increment(settings, guards, key, counters, execution -> execution.call(increments::get), values::get));
    }

    @Override
    protected void requireCall() {
        calls.requireOne();
    }
}
