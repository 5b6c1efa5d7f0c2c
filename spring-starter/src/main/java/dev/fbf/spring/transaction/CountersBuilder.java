package dev.fbf.spring.transaction;

import dev.fbf.db.Counters;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.OperationSettings;
import org.jspecify.annotations.Nullable;

/** Builder of counters. Not thread-safe. */
abstract class CountersBuilder implements SqlCounters.Builder {

    private String scope = "counters";
    private String transactionManager = "";

    Counters.@Nullable Table table;

    @Override
    public SqlCounters.Builder scope(String name) {
        scope = OperationSettings.requireScope(name);
        return this;
    }

    @Override
    public SqlCounters.Builder transactionManager(String name) {
        transactionManager = name;
        return this;
    }

    @Override
    public SqlCounters.Builder table(String name, String key, String value) {
        table = new Counters.Table(name, key, value);
        return this;
    }

    /** Returns the settings of operations on these counters. */
    public OperationSettings settings() {
        return new OperationSettings(
                "SqlCounters of the scope " + scope, scope, transactionManager, null, null, true, false);
    }
}
