package dev.fbf.spring;

import dev.fbf.core.OperationId;
import dev.fbf.core.filter.FilterDirectory;
import dev.fbf.db.Counters;
import dev.fbf.db.TransactionConnection;
import dev.fbf.db.UnknownCounterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Exact counters in PostgreSQL that are faster than an {@code UPDATE} of each: increments of callers that come at the same
 * time are committed together, and each is told the value that it made.
 *
 * <p>Injected as it is, its counters are in the table {@code fbf_counter}; a counter begins at 0 when it is first added to.
 * For a table of the application's, whose rows the application inserts:
 *
 * <pre>{@code
 * @Bean
 * SqlCounters pageViews(SqlCounters.Builder counters) {
 *     return counters.scope("page-views").table("page", "name", "views").build();
 * }
 * }</pre>
 *
 * <p>An increment belongs to an operation, which is applied once: to that of the {@link IdempotentIncrement} method that
 * calls, or to one that is named by a key here. When it is committed, the call says:
 *
 * <ul>
 *   <li>{@link #increment(String, long) increment(counter, delta)} within an annotated method is part of that method's
 *       transaction, as any other SQL there.
 *   <li>{@link #incrementAndCommit(String, long) incrementAndCommit(counter, delta)} within an annotated method is committed
 *       at once, together with those of other callers, or fails. This is the fast one.
 *   <li>{@link #increment(IdempotencyKey, String, long) increment(key, counter, delta)} is as a {@code @Transactional} method:
 *       part of the caller's transaction; without one, committed at once, together with those of other callers.
 * </ul>
 *
 * <p>Callers read their own increments. Within a transaction, what it has read or
 * written before is as that transaction sees it.
 *
 * <p>Thread-safe. Callers wait on their own threads, platform or virtual.
 */
public final class SqlCounters implements SmartInitializingSingleton {

    private static final String DEFAULT_SCOPE = "counters";

    private static final Logger log = LoggerFactory.getLogger(SqlCounters.class);

    private final Supplier<Guards> guards;
    private final Duration timeout;
    private final Declaration declaration;
    private final OperationSettings settings;
    private final IdempotentScope keyed;

    private volatile @Nullable Target target;

    private SqlCounters(
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
        keyed = new IdempotentScope(executor, settings, "");
    }

    private record Declaration(String scope, String transactionManager, Counters.@Nullable Table table) {}

    /** What is known once the database has been asked. */
    private record Target(GuardedDatabase database, Counters counters) {}

    /**
     * Adds 1 to a counter in the transaction of the guarded method that calls; see {@link #increment(String, long)}.
     *
     * @param counter the counter's name
     * @return the value that this has made
     */
    public long increment(String counter) {
        return increment(counter, 1);
    }

    /**
     * Adds to a counter, for the operation of the guarded method that calls, and in its transaction: what rolls that back
     * takes this back.
     *
     * @param counter the counter's name
     * @param delta what to add, other than 0; negative to subtract
     * @return the value that this has made
     * @throws IllegalArgumentException if {@code delta} is 0
     * @throws IllegalStateException if no guarded method calls
     * @throws UnknownCounterException if the application's table has no such counter
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range, or violate a
     *     constraint
     */
    public long increment(String counter, long delta) {
        requireDelta(delta);
        requireCall();
        return addInTransaction(target(), counter, delta);
    }

    /**
     * Adds 1 to a counter and commits that at once; see {@link #incrementAndCommit(String, long)}.
     *
     * @param counter the counter's name
     * @return the value that this has made
     */
    public long incrementAndCommit(String counter) {
        return incrementAndCommit(counter, 1);
    }

    /**
     * Adds to a counter and commits that at once, together with increments of other callers. With this the operation of the
     * guarded method that calls has been applied, whatever the method does or throws after it: it can read, but neither write
     * nor add to another counter.
     *
     * <p>The method must run in a transaction of its own in which it has executed nothing before, but for a call without a key
     * where {@linkplain IdempotentIncrement#required() none is required}: that adds in its transaction. In {@link Mode#LEDGER} the
     * method must be {@link IdempotentIncrement#sqlOnly() sqlOnly}. The database must be PostgreSQL, with its own driver and JDBC
     * transactions.
     *
     * @param counter the counter's name
     * @param delta what to add, other than 0; negative to subtract
     * @return the value that this has made
     * @throws IllegalArgumentException if {@code delta} is 0
     * @throws IllegalStateException if no guarded method calls, its operation has been applied by another increment, or it is
     *     not as above: then nothing was added
     * @throws UnknownCounterException if the application's table has no such counter
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range, or violate a
     *     constraint
     * @throws OperationUnavailableException if it could not be applied in time, or it is not known whether it was
     */
    public long incrementAndCommit(String counter, long delta) {
        requireDelta(delta);
        Enlistment enlistment = requireCall().enlistment();
        Target known = target();
        if (enlistment == null) {
            return addInTransaction(known, counter, delta); // there is no operation to be applied once
        }
        Long value = addInGroup(known, enlistment, counter, delta);
        if (value == null) {
            throw new IllegalStateException("counter=" + counter + ": cannot be committed at once, because "
                    + whyNotAtOnce(known, enlistment)
                    + " Call increment(counter, delta), which is part of the method's transaction.");
        }
        return value;
    }

    /**
     * Subtracts from a counter in the transaction of the guarded method that calls; otherwise as {@link #increment(String,
     * long)}.
     *
     * @param counter the counter's name
     * @param delta what to subtract, other than 0
     * @return the value that this has made
     */
    public long decrement(String counter, long delta) {
        return increment(counter, negated(delta));
    }

    /**
     * Adds to a counter, once for each key. Scope, key and counter together name the operation: the same key with another counter
     * names another one, the same key with another delta does not, and the login is no part of the name.
     *
     * @param key names the operation, among those on the same counter of this scope
     * @param counter the counter's name
     * @param delta what to add, other than 0; negative to subtract
     * @return the value that this has made; the counter's value if the operation was applied before
     * @throws IllegalArgumentException if {@code delta} is 0
     * @throws IllegalStateException if the caller's transaction has applied a quarter of {@code fbf.max-claims} operations;
     *     it can commit those
     * @throws UnknownCounterException if the application's table has no such counter
     * @throws org.springframework.dao.DataIntegrityViolationException if the value would leave its range, or violate a
     *     constraint
     * @throws OperationInProgressException if another call is applying the operation
     * @throws OperationUnavailableException if it could not be applied in time, or nobody knows whether it was
     * @throws IdempotencyKeyTooOldException if the key carries a time before the window
     */
    public long increment(IdempotencyKey key, String counter, long delta) {
        requireDelta(delta);
        return keyed.<Long, RuntimeException>execute(
                key,
                id(key, Stream.of(counter)),
                enlistment -> add(enlistment, counter, delta),
                () -> value(counter).orElse(0));
    }

    /**
     * Subtracts from a counter, once for each key; otherwise as {@link #increment(IdempotencyKey, String, long)}.
     *
     * @param key names the operation, among those on the same counter of this scope
     * @param counter the counter's name
     * @param delta what to subtract, other than 0
     * @return the value that this has made; the counter's value if the operation was applied before
     */
    public long decrement(IdempotencyKey key, String counter, long delta) {
        return increment(key, counter, negated(delta));
    }

    /**
     * Adds to several counters in one transaction, once for each key: to all of them or to none. The same key with other counters
     * names another operation.
     *
     * @param key names the operation, among those on the same counters of this scope
     * @param deltas what to add to which counter, none of it 0
     * @return the values that this has made, by counter; the counters' values if the operation was applied before
     */
    public Map<String, Long> increment(IdempotencyKey key, Map<String, Long> deltas) {
        Map<String, Long> copy = Map.copyOf(deltas);
        copy.values().forEach(SqlCounters::requireDelta);
        return keyed.<Map<String, Long>, RuntimeException>execute(
                key,
                id(key, copy.keySet().stream().sorted()),
                enlistment -> OperationTransaction.call(enlistment, () -> addInTransaction(target(), copy)),
                () -> values(copy.keySet()));
    }

    /**
     * Adds to several counters, for the operation of the guarded method that calls, and in its transaction.
     *
     * @param deltas what to add to which counter, none of it 0
     * @return the values that this has made, by counter
     * @throws IllegalStateException if no guarded method calls, or its operation has been applied by another increment
     * @throws UnknownCounterException if the application's table lacks one of the counters; the others have been added to,
     *     unless the transaction rolls back
     */
    public Map<String, Long> increment(Map<String, Long> deltas) {
        requireCall();
        deltas.values().forEach(SqlCounters::requireDelta);
        return addInTransaction(target(), deltas);
    }

    /**
     * Reads a counter; outside of a transaction, together with others who read at the same time.
     *
     * @param counter the counter's name
     * @return its value; empty if there is no such counter
     */
    public OptionalLong value(String counter) {
        Target known = target();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            Long value = inConnection(
                            known, "read a counter", connection -> known.counters.values(connection, List.of(counter)))
                    .get(counter);
            return value == null ? OptionalLong.empty() : OptionalLong.of(value);
        }
        try {
            return known.counters.value(counter);
        } catch (SQLException e) {
            throw SqlExceptions.translate("read a counter", e);
        }
    }

    /**
     * Reads several counters, as they are at one moment.
     *
     * @param counters their names
     * @return the values of those that there are, by name
     */
    public Map<String, Long> values(Collection<String> counters) {
        Target known = target();
        return inConnection(known, "read counters", connection -> known.counters.values(connection, counters));
    }

    /** Looks for the table. A database that does not answer now is asked with the first increment. */
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
    private OperationId id(IdempotencyKey key, Stream<String> counters) {
        return OperationId.of(Stream.concat(Stream.of(declaration.scope, "", key.value()), counters)
                .toArray(String[]::new));
    }

    /** At once, unless there is a transaction to be part of; null if {@link Enlistment#refusal()} tells why not. */
    private @Nullable Long add(Enlistment enlistment, String counter, long delta) {
        Target known = target();
        return TransactionSynchronizationManager.isActualTransactionActive()
                ? OperationTransaction.call(enlistment, () -> addInTransaction(known, counter, delta))
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
                ? "the method's operation is applied in the database of another transaction manager."
                : enlistment.whyNotInGroup();
    }

    private static long addInTransaction(Target known, String counter, long delta) {
        return inConnection(known, "add to a counter", connection -> known.counters.add(connection, counter, delta));
    }

    private static Map<String, Long> addInTransaction(Target known, Map<String, Long> deltas) {
        return inConnection(known, "add to counters", connection -> known.counters.addAll(connection, deltas));
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

    private static long negated(long delta) {
        if (delta == Long.MIN_VALUE) {
            throw new IllegalArgumentException("delta=" + delta + ": must be greater, to be subtracted");
        }
        return -delta;
    }

    private Target target() {
        Target known = target;
        return known == null ? find() : known;
    }

    private synchronized Target find() {
        Target known = target;
        if (known != null) {
            return known;
        }
        GuardedDatabase database = guards.get().open(settings);
        Target found = inConnection(database, "look for the counters' table", connection -> {
            boolean ofPgjdbc = TransactionConnection.isOfPgjdbc(connection);
            Counters counters = database.arbiter().counters(connection, declaration.table, timeout);
            database.beLazy(ofPgjdbc);
            return new Target(database, counters);
        });
        guards.get().opened(declaration.scope, found.counters);
        target = found;
        return found;
    }

    private static <T> T inConnection(Target known, String task, Work<T> work) {
        return inConnection(known.database, task, work);
    }

    /** That of this thread's transaction, if there is one. */
    private static <T> T inConnection(GuardedDatabase database, String task, Work<T> work) {
        Connection connection = DataSourceUtils.getConnection(database.dataSource());
        try {
            return work.with(connection);
        } catch (SQLException e) {
            throw SqlExceptions.translate(task, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, database.dataSource());
        }
    }

    private interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /** Makes {@link SqlCounters}; each injection point gets a new one. Not thread-safe. */
    public static final class Builder {

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

        /**
         * Sets the family of operations that the keys belong to. No two counters of an application have the same.
         *
         * @param scope 1 to 200 letters, digits, dots, hyphens or underscores; {@code counters} if this is not called
         * @return this
         * @throws IllegalArgumentException if it is not like that
         */
        public Builder scope(String scope) {
            if (!FilterDirectory.SCOPE.matcher(scope).matches()) {
                throw new IllegalArgumentException(
                        "scope=" + scope + ": must have 1 to 200 letters, digits, dots, hyphens or underscores");
            }
            declaration = new Declaration(scope, declaration.transactionManager, declaration.table);
            return this;
        }

        /**
         * Sets the transaction manager of the counters.
         *
         * @param name the bean name or qualifier of the transaction manager of their data source; the only or primary one if
         *     this is not called
         * @return this
         */
        public Builder transactionManager(String name) {
            declaration = new Declaration(declaration.scope, name, declaration.table);
            return this;
        }

        /**
         * Sets the table that has the counters, one in each row; the application inserts them.
         *
         * @param table its name, as in {@code page} or {@code shop.page}; upper and lower case matter. Without a schema it is
         *     the one on each connection's search path: those of fbf's own threads know of no tenant
         * @param key the column that names the counter, unique: {@code text}, {@code varchar}, {@code bigint}, {@code
         *     integer}, {@code smallint} or {@code uuid}
         * @param value the column that has its value: {@code bigint}, {@code integer} or {@code smallint}
         * @return this
         */
        public Builder table(String table, String key, String value) {
            declaration = new Declaration(
                    declaration.scope, declaration.transactionManager, new Counters.Table(table, key, value));
            return this;
        }

        /**
         * Makes them. The database is asked for the table when the application has started, or at first use.
         *
         * @return the counters
         */
        public SqlCounters build() {
            return new SqlCounters(
                    known, executor, guards, properties.getCounters().getTimeout(), declaration);
        }
    }
}
