package dev.fbf.spring.transaction;

import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.OperationSettings;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counters whose increments are applied one by one, not in groups. Used if the guard is disabled, or keeps operations in memory.
 * Thread-safe.
 */
public final class PlainCounters implements SqlCounters, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(PlainCounters.class);

    private final Values values;
    private final OncePerKey oncePerKey;
    private final Runnable requireCall;

    private PlainCounters(Values values, OncePerKey oncePerKey, Runnable requireCall) {
        this.values = values;
        this.oncePerKey = oncePerKey;
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

    /** Application of the increments of a key. */
    @FunctionalInterface
    public interface OncePerKey {

        /**
         * Makes the increments in a transaction, unless that was done before.
         *
         * @param values returns the response to a duplicate
         * @return the new values, or that response
         */
        Map<String, Long> apply(
                IdempotencyKey key,
                Set<String> counters,
                Supplier<Map<String, Long>> increments,
                Supplier<Map<String, Long>> values);
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

    @Override
    public Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas) {
        Map<String, Long> copy = Map.copyOf(deltas);
        requireAddable(copy);
        return oncePerKey.apply(key, copy.keySet(), () -> values.add(copy), () -> valuesOf(copy.keySet()));
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

    /** Checks the table. If the database is unavailable, the first use checks it. */
    @Override
    public void afterSingletonsInstantiated() {
        try {
            values.open();
        } catch (RuntimeException e) {
            if (!SchemaMigration.isUnreachable(e)) {
                throw e;
            }
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

        private final PlainTransactions transactions;
        private final FbfProperties.Schema schema;

        public Builder(PlainTransactions transactions, FbfProperties.Schema schema) {
            this.transactions = transactions;
            this.schema = schema;
        }

        /** Creates the storage of counters without a data source. */
        protected Values withoutDatabase() {
            throw new IllegalStateException("scope=" + settings().scope()
                    + ": the counters have no transaction manager with a known data source. Name one with"
                    + " SqlCounters.Builder.transactionManager(\"…\").");
        }

        /** Returns the handler of increments with a key. The default one applies duplicates, too. */
        protected OncePerKey oncePerKey(OperationSettings settings) {
            return (key, counters, increments, values) -> transactions.call(settings, increments::get);
        }

        /** Throws if this thread may not increment without a key. */
        protected void requireCall() {}

        /** Builds the same counters with another builder. */
        protected final SqlCounters build(SqlCounters.Builder other) {
            SqlCounters.Builder same = other.scope(settings().scope())
                    .transactionManager(settings().transactionManager());
            return (table == null ? same : same.table(table.name(), table.key(), table.value())).build();
        }

        @Override
        public SqlCounters build() {
            DataSource dataSource = transactions.dataSourceOf(settings());
            Values values = dataSource == null
                    ? withoutDatabase()
                    : new PlainTable(dataSource, new SchemaMigration(schema), table);
            return new PlainCounters(values, oncePerKey(settings()), this::requireCall);
        }
    }
}
