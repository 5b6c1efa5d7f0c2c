package dev.fbf.spring.transaction;

import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Counters;
import dev.fbf.db.StoreException;
import dev.fbf.db.counter.CounterRow;
import dev.fbf.db.counter.CounterRows;
import dev.fbf.db.dialect.Ledger;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.operation.Declarations;
import dev.fbf.spring.operation.Execution;
import dev.fbf.spring.operation.Operation;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/** {@link SqlCounters} with a guard, which is that of {@code fbf.enabled=false}, too. Thread-safe. */
final class GuardedCounters implements SqlCounters {

    private static final Logger log = LoggerFactory.getLogger(GuardedCounters.class);

    private final Supplier<Guards> guards;
    private final Duration timeout;
    private final OperationSettings settings;
    private final Counters.@Nullable Table table;
    private final Supplier<OperationExecutor> executor;

    private volatile @Nullable Target target;

    private GuardedCounters(
            Supplier<OperationExecutor> executor,
            Supplier<Guards> guards,
            Duration timeout,
            OperationSettings settings,
            Counters.@Nullable Table table) {
        this.executor = executor;
        this.guards = guards;
        this.timeout = timeout;
        this.settings = settings;
        this.table = table;
    }

    /** The counters' database, known after the first connection. */
    private record Target(GuardedDatabase database, Counters counters) {}

    @Override
    public long increment(String counter, long delta) {
        requireDelta(delta);
        return addInTransaction(targetOfCall(), counter, delta);
    }

    @Override
    public Map<String, Long> increment(Map<String, Long> deltas) {
        deltas.values().forEach(GuardedCounters::requireDelta);
        return addInTransaction(targetOfCall(), deltas);
    }

    /** Commits in a group, unless this thread has a transaction, or keeps a connection that the group would wait for. */
    @Override
    public long increment(IdempotencyKey key, String counter, long delta) {
        requireDelta(delta);
        Target known = target;
        CounterRow row = known == null ? null : known.counters.row(counter);
        Operation operation = Operation.ofProgram(settings.scope(), null, key, List.of(counter), row);
        boolean joins = TransactionSynchronizationManager.isActualTransactionActive()
                || (known != null && known.database.holdsConnection());
        return increment(
                key,
                operation,
                execution -> joins || execution.claimed().isEmpty()
                        ? execution.call(() -> addInTransaction(target(), counter, delta))
                        : ((GuardedCall) execution).add(group(execution), counter, delta, timeout),
                () -> valueForRetry(counter, operation));
    }

    /** Returns the value that was read with the operation's row, or reads it. */
    private long valueForRetry(String counter, @Nullable Operation operation) {
        Ledger.Found row = operation == null ? null : operation.applied().get();
        return row != null && row.value() != null
                ? row.value()
                : valuesForRetry(List.of(counter)).getOrDefault(counter, 0L);
    }

    @Override
    public Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas) {
        Map<String, Long> copy = Map.copyOf(deltas);
        copy.values().forEach(GuardedCounters::requireDelta);
        return increment(
                key,
                Operation.ofProgram(settings.scope(), null, key, copy.keySet(), null),
                execution -> execution.call(() -> addInTransaction(target(), copy)),
                () -> valuesForRetry(copy.keySet()));
    }

    @Override
    public OptionalLong value(String counter) {
        Long value = values(List.of(counter)).get(counter);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    @Override
    public Map<String, Long> values(Collection<String> counters) {
        try {
            return read(counters);
        } catch (StoreException e) {
            throw GuardedDatabase.translate("read counters", e.failure());
        }
    }

    /** Returns the values for a retry, which is refused if they cannot be read now. */
    private Map<String, Long> valuesForRetry(Collection<String> counters) {
        try {
            return read(counters);
        } catch (DataAccessException | StoreException e) {
            throw guards.get().registered(settings).database.undecided(settings.scope(), e);
        }
    }

    private Map<String, Long> read(Collection<String> counters) {
        Target known = target();
        return known.database.inConnection("read counters", connection -> known.counters.values(connection, counters));
    }

    /** Checks the table. If the database is unavailable, the first use checks it. */
    private void check() {
        try {
            target();
        } catch (DataAccessResourceFailureException | TransientDataAccessResourceException e) {
            log.debug("The counters' table will be checked later.", e);
        }
    }

    @SuppressWarnings("NullAway") // neither the increments nor the values are null
    private <T> T increment(
            IdempotencyKey key,
            @Nullable Operation operation,
            Execution.Attempt<T, RuntimeException> increments,
            IdempotentScope.Work<T, RuntimeException> values) {
        return executor.get().increment(settings, guards.get(), key, operation, increments, values);
    }

    private Counters group(Execution execution) {
        try {
            return target().counters;
        } catch (DataAccessResourceFailureException | TransientDataAccessResourceException e) {
            throw execution.refuse(Refusals.of(Refusal.UNREACHABLE, settings.scope(), e));
        }
    }

    private static long addInTransaction(Target known, String counter, long delta) {
        return known.database.inConnection(
                "add to a counter", connection -> known.counters.add(connection, counter, delta));
    }

    private static Map<String, Long> addInTransaction(Target known, Map<String, Long> deltas) {
        return known.database.inConnection("add to counters", connection -> known.counters.addAll(connection, deltas));
    }

    /** Returns the counters, if the transaction of the calling guarded method includes them. */
    private Target targetOfCall() {
        GuardedCall call = GuardedCall.current();
        if (call == null) {
            throw new IllegalStateException(
                    "scope=" + settings.scope() + ": the caller is not an @IdempotentIncrement method, so there is no"
                            + " operation that could be applied once. Call it from one, or name the operation:"
                            + " increment(key, counter, delta).");
        }
        Target known = target();
        if (call.database().dataSource != known.database.dataSource
                || !TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("scope=" + settings.scope()
                    + ": the transaction of the guarded method is not open here, or belongs to another"
                    + " database, so the increment would be committed separately. The increment was not"
                    + " applied. Call within that transaction, name its manager with"
                    + " SqlCounters.Builder.transactionManager(\"…\"), or name a separate operation:"
                    + " increment(key, counter, delta).");
        }
        return known;
    }

    private static void requireDelta(long delta) {
        if (delta == 0) {
            throw new IllegalArgumentException("delta=0: must be another number");
        }
    }

    private Target target() {
        Target known = target;
        return known == null ? find() : known;
    }

    /** Takes no lock: callers that wait for a connection wait beside each other. */
    private Target find() {
        GuardedDatabase database = guards.get().registered(settings).database;
        if (table == null) {
            database.useOwnCounters();
        }
        CounterRows found = database.inConnection(
                "check the counters' table", connection -> database.store().table(connection, table));
        return open(database, found);
    }

    private synchronized Target open(GuardedDatabase database, CounterRows found) {
        Target known = target;
        if (known == null) {
            known = new Target(database, database.store().counters(found));
            guards.get().opened(settings.scope(), known.counters);
            target = known;
        }
        return known;
    }

    /** Builder of the counters. Not thread-safe. */
    static final class Builder implements SqlCounters.Builder {

        private final Declarations declarations;
        private final Supplier<OperationExecutor> executor;
        private final Supplier<Guards> guards;
        private final Duration timeout;
        private String scope = "counters";
        private String transactionManager = "";
        private Counters.@Nullable Table table;

        Builder(
                Declarations declarations,
                ObjectProvider<OperationExecutor> executor,
                ObjectProvider<Guards> guards,
                FbfProperties properties) {
            this.declarations = declarations;
            this.executor = SingletonSupplier.of(executor::getObject);
            this.guards = SingletonSupplier.of(guards::getObject);
            timeout = properties.counters().timeout();
        }

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

        @Override
        public SqlCounters build() {
            OperationSettings settings = new OperationSettings(
                    "SqlCounters of the scope " + scope, scope, transactionManager, null, null, true, false);
            GuardedCounters counters = new GuardedCounters(executor, guards, timeout, settings, table);
            declarations.addCounters(settings, counters::check);
            return counters;
        }
    }
}
