package dev.fbf.spring.counter;

import dev.fbf.core.CounterNameException;
import dev.fbf.core.OperationId;
import dev.fbf.db.Counters;
import dev.fbf.db.TransactionConnection;
import dev.fbf.spring.FbfProperties;
import dev.fbf.spring.IdempotencyKey;
import dev.fbf.spring.IdempotentScope;
import dev.fbf.spring.SqlCounters;
import dev.fbf.spring.admission.AdmittedOperation;
import dev.fbf.spring.admission.Operation;
import dev.fbf.spring.declaration.GuardedMethods;
import dev.fbf.spring.declaration.OperationSettings;
import dev.fbf.spring.guard.Guards;
import dev.fbf.spring.operation.OperationExecutor;
import dev.fbf.spring.transaction.Enlistment;
import dev.fbf.spring.transaction.GuardedCall;
import dev.fbf.spring.transaction.GuardedDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/** Adds to {@link Counters} by way of {@link OperationExecutor}. Thread-safe. */
final class GuardedCounters implements SqlCounters, SmartInitializingSingleton {

    static final String DEFAULT_SCOPE = "counters";

    private static final Logger log = LoggerFactory.getLogger(GuardedCounters.class);

    private final Supplier<Guards> guards;
    private final Duration timeout;
    private final Declaration declaration;
    private final OperationSettings settings;
    private final Supplier<OperationExecutor> executor;

    private final ReentrantLock lock = new ReentrantLock();

    private volatile @Nullable Target target;

    private GuardedCounters(
            GuardedMethods known,
            Supplier<OperationExecutor> executor,
            Supplier<Guards> guards,
            Duration timeout,
            Declaration declaration) {
        this.guards = guards;
        this.timeout = timeout;
        this.declaration = declaration;
        settings = new OperationSettings(
                "SqlCounters of the scope " + declaration.scope,
                declaration.scope,
                declaration.transactionManager,
                false,
                true,
                false);
        known.addCounters(settings);
        this.executor = executor;
    }

    private record Declaration(String scope, String transactionManager, Counters.@Nullable Table table) {}

    /** What is known once the database has been asked. */
    private record Target(GuardedDatabase database, Counters counters) {}

    @Override
    public long increment(String counter, long delta) {
        requireDelta(delta);
        requireCall();
        return addInTransaction(target(), counter, delta);
    }

    @Override
    public long incrementAndCommit(String counter, long delta) {
        requireDelta(delta);
        Enlistment enlistment = requireCall().enlistment();
        Target known = target();
        if (enlistment == null) {
            return addInTransaction(known, counter, delta); // there is no operation to be applied once
        }
        Long value = addInGroup(known, enlistment, counter, delta);
        if (value == null) {
            throw new IllegalStateException(
                    "counter=" + CounterNameException.printable(counter) + ": cannot be committed at once, because "
                            + whyNotAtOnce(known, enlistment)
                            + " Call increment(counter, delta), which is part of the method's transaction.");
        }
        return value;
    }

    @Override
    public long increment(IdempotencyKey key, String counter, long delta) {
        requireDelta(delta);
        return execute(
                operation(key, Stream.of(counter)),
                admitted -> add((Enlistment) admitted, counter, delta),
                () -> value(counter).orElse(0));
    }

    @Override
    public Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas) {
        Map<String, Long> copy = Map.copyOf(deltas);
        copy.values().forEach(GuardedCounters::requireDelta);
        return execute(
                operation(key, copy.keySet().stream().sorted()),
                admitted -> admitted.call(() -> addInTransaction(target(), copy)),
                () -> values(copy.keySet()));
    }

    @Override
    public Map<String, Long> increment(Map<String, Long> deltas) {
        requireCall();
        deltas.values().forEach(GuardedCounters::requireDelta);
        return addInTransaction(target(), deltas);
    }

    @Override
    public OptionalLong value(String counter) {
        Target known = target();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            Long value = known.database
                    .inConnection("read a counter", connection -> known.counters.values(connection, List.of(counter)))
                    .get(counter);
            return value == null ? OptionalLong.empty() : OptionalLong.of(value);
        }
        try {
            return known.counters.value(counter);
        } catch (SQLException e) {
            throw GuardedDatabase.translate("read a counter", e);
        }
    }

    @Override
    public Map<String, Long> values(Collection<String> counters) {
        Target known = target();
        return known.database.inConnection("read counters", connection -> known.counters.values(connection, counters));
    }

    /** Looks for the table. A database that does not respond now is asked with the first increment. */
    @Override
    public void afterSingletonsInstantiated() {
        try {
            target();
        } catch (DataAccessResourceFailureException e) {
            log.debug("The counters' table is looked for later.", e);
        }
    }

    /**
     * Names an operation by its scope, its key and its counters. A caller is not part of it: a program that asks again need not
     * have the login of the one that asked first.
     */
    private Operation operation(IdempotencyKey key, Stream<String> counters) {
        OperationId id = OperationId.of(Stream.concat(Stream.of(declaration.scope, "", key.value()), counters)
                .toArray(String[]::new));
        return new Operation(id, key.value());
    }

    @SuppressWarnings("NullAway") // neither the work nor what stands in for it returns null
    private <T> T execute(
            Operation operation,
            AdmittedOperation.Attempt<T, RuntimeException> attempt,
            IdempotentScope.Work<T, RuntimeException> onDuplicate) {
        return executor.get().execute(settings, operation, attempt, onDuplicate);
    }

    /** At once, unless there is a transaction to be part of; null if it is not applied. */
    private @Nullable Long add(Enlistment enlistment, String counter, long delta) {
        Target known = target();
        return TransactionSynchronizationManager.isActualTransactionActive()
                ? enlistment.call(() -> addInTransaction(known, counter, delta))
                : enlistment.applyInGroup(known.counters, counter, delta, timeout);
    }

    /** Returns null if that is not possible. */
    private @Nullable Long addInGroup(Target known, Enlistment enlistment, String counter, long delta) {
        return enlistment.database() == known.database
                ? enlistment.applyInGroup(known.counters, counter, delta, timeout)
                : null;
    }

    private static String whyNotAtOnce(Target known, Enlistment enlistment) {
        if (!known.database.isLazy()) {
            return "that takes PostgreSQL's own driver and a JDBC transaction manager.";
        }
        return enlistment.database() != known.database
                ? "the method's operation is of another transaction manager, or of another mode."
                : enlistment.whyNotInGroup();
    }

    private static long addInTransaction(Target known, String counter, long delta) {
        return known.database.inConnection(
                "add to a counter", connection -> known.counters.add(connection, counter, delta));
    }

    private static Map<String, Long> addInTransaction(Target known, Map<String, Long> deltas) {
        return known.database.inConnection("add to counters", connection -> known.counters.addAll(connection, deltas));
    }

    private GuardedCall requireCall() {
        GuardedCall call = GuardedCall.current();
        if (call == null) {
            throw new IllegalStateException(
                    "scope=" + declaration.scope + ": no @IdempotentIncrement method calls, so there is"
                            + " no operation that could be applied once. Call from one, or name the operation: increment(key,"
                            + " counter, delta).");
        }
        return call;
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

    private Target find() {
        lock.lock(); // not a monitor: it would pin a virtual thread that waits for the database
        try {
            Target known = target;
            return known == null ? findFirst() : known;
        } finally {
            lock.unlock();
        }
    }

    private Target findFirst() {
        GuardedDatabase database = guards.get().open(settings);
        Target found = database.inConnection("look for the counters' table", connection -> {
            boolean ofPgjdbc = TransactionConnection.isOfPgjdbc(connection);
            Counters counters = database.arbiter().counters(connection, declaration.table, timeout);
            database.beLazy(ofPgjdbc);
            return new Target(database, counters);
        });
        guards.get().opened(declaration.scope, found.counters);
        target = found;
        return found;
    }

    /** Declares the counters, with what it was told. */
    static final class Builder implements SqlCounters.Builder {

        private final GuardedMethods known;
        private final Supplier<OperationExecutor> executor;
        private final Supplier<Guards> guards;
        private final FbfProperties properties;

        private Declaration declaration = new Declaration(DEFAULT_SCOPE, "", null);

        Builder(
                GuardedMethods known,
                ObjectProvider<OperationExecutor> executor,
                ObjectProvider<Guards> guards,
                FbfProperties properties) {
            this.known = known;
            this.executor = SingletonSupplier.of(executor::getObject);
            this.guards = SingletonSupplier.of(guards::getObject);
            this.properties = properties;
        }

        @Override
        public Builder scope(String scope) {
            declaration = new Declaration(
                    OperationSettings.requireScope(scope), declaration.transactionManager, declaration.table);
            return this;
        }

        @Override
        public Builder transactionManager(String name) {
            declaration = new Declaration(declaration.scope, name, declaration.table);
            return this;
        }

        @Override
        public Builder table(String table, String key, String value) {
            declaration = new Declaration(
                    declaration.scope, declaration.transactionManager, new Counters.Table(table, key, value));
            return this;
        }

        @Override
        public SqlCounters build() {
            return new GuardedCounters(
                    known, executor, guards, properties.getCounters().getTimeout(), declaration);
        }
    }
}
