package dev.fbf.spring.jdbc;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentOperations;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.OperationName;
import dev.fbf.spring.operation.RequestKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.dao.DataAccessResourceFailureException;

/**
 * Counters whose increments are applied separately, each in its transaction, with portable SQL. Used if the guard is disabled, or keeps
 * operations in memory. Thread-safe.
 */
public final class PlainCounters implements SqlCounters, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(PlainCounters.class);

    private final String scopeName;
    private final IdempotentScope scope;
    private final Values values;
    private final Runnable requireCall;

    private PlainCounters(String scopeName, IdempotentScope scope, Values values, Runnable requireCall) {
        this.scopeName = scopeName;
        this.scope = scope;
        this.values = values;
        this.requireCall = requireCall;
    }

    /** Storage of the counters' values. */
    public interface Values {

        /** Adds to all counters or, if this throws and the transaction rolls back, to none; returns the new values. */
        Map<String, Long> add(Map<String, Long> deltas);

        /** Returns the values of the existing counters, by name. */
        Map<String, Long> values(Collection<String> counters);

        /** Checks at startup whether counters can be incremented. */
        default void open() {}
    }

    @Override
    public long increment(String counter, long delta) {
        return Objects.requireNonNull(increment(Map.of(counter, delta)).get(counter));
    }

    @Override
    public Map<String, Long> increment(Map<String, Long> deltas) {
        requireAddable(deltas);
        requireCall.run();
        return values.add(deltas);
    }

    @Override
    public long increment(IdempotencyKey key, String counter, long delta) {
        return Objects.requireNonNull(increment(key, Map.of(counter, delta)).get(counter));
    }

    /**
     * Applies the increments once per key. The names of the counters are part of the operation's name for a key from the program: they
     * serve as its caller. The key of a request names an operation by itself.
     */
    @Override
    public Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas) {
        Map<String, Long> copy = Map.copyOf(deltas);
        requireAddable(copy);
        String names = copy.keySet().stream()
                .sorted()
                .map(name -> name.length() + ":" + name)
                .collect(Collectors.joining());
        OperationName name = new OperationName(key, null, copy.keySet());
        return (key instanceof RequestKey ? scope : scope.caller(names))
                .execute(key, () -> values.add(copy), name.onDuplicate(scopeName, () -> valuesOf(copy.keySet())));
    }

    private Map<String, Long> valuesOf(Collection<String> counters) {
        Map<String, Long> all = new HashMap<>();
        counters.forEach(counter -> all.put(counter, 0L));
        all.putAll(values.values(counters));
        return all;
    }

    @Override
    public OptionalLong value(String counter) {
        Long value = values.values(List.of(counter)).get(counter);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    @Override
    public Map<String, Long> values(Collection<String> counters) {
        return values.values(counters);
    }

    /** Checks the table. If the database is unavailable, the first increment checks it. */
    @Override
    public void afterSingletonsInstantiated() {
        try {
            values.open();
        } catch (DataAccessResourceFailureException e) {
            log.debug("The counters' table will be checked later.", e);
        }
    }

    private static void requireAddable(Map<String, Long> deltas) {
        deltas.forEach((counter, delta) -> {
            if (delta == 0) {
                throw new IllegalArgumentException("delta=0: must be another number");
            }
            PlainTable.checked(counter);
        });
    }

    /** Builder of the counters. Not thread-safe. */
    public static class Builder extends CountersBuilder {

        private final IdempotentOperations operations;
        private final Function<Builder, Values> values;
        private final Runnable requireCall;

        /**
         * @param operations applies increments with a key
         * @param values the storage of the declared counters
         * @param requireCall throws if a call without a key is not allowed
         */
        public Builder(IdempotentOperations operations, Function<Builder, Values> values, Runnable requireCall) {
            this.operations = operations;
            this.values = values;
            this.requireCall = requireCall;
        }

        /** Returns the declared counters' table in a database. */
        public Values in(DataSource dataSource, FbfProperties.Schema schema) {
            return new PlainTable(dataSource, new SchemaMigration(schema), table);
        }

        /** Builds the same counters with another builder. */
        public SqlCounters build(SqlCounters.Builder other) {
            SqlCounters.Builder same = other.scope(settings().scope())
                    .transactionManager(settings().transactionManager());
            return (table == null ? same : same.table(table.name(), table.key(), table.value())).build();
        }

        @Override
        public SqlCounters build() {
            String scope = settings().scope();
            IdempotentScope applied = operations
                    .builder(scope)
                    .transactionManager(settings().transactionManager())
                    .build();
            return new PlainCounters(scope, applied, values.apply(this), requireCall);
        }
    }
}
