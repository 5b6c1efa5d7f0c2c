package dev.fbf.spring.jdbc;

import dev.fbf.core.OperationId;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Reachability;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.node.NodeLease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A transaction manager whose transactions apply operations, and what decides on those in its database. */
final class GuardedDatabase {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    /** The transaction manager's name, which claims are kept under. */
    final String name;

    /** The database in meters and logs; no other has the same. */
    final String dataSourceName;

    final PlatformTransactionManager manager;
    final DataSource dataSource;
    final Arbiter arbiter;
    final GuardedTransactions transactions;

    /** Lease of this node; null if other nodes are not checked. */
    final @Nullable NodeLease lease;

    final Reachability reachability;

    private final OwnTables tables;
    private final @Nullable ConnectionPermits permits;

    GuardedDatabase(
            String name,
            String dataSourceName,
            PlatformTransactionManager manager,
            DataSource dataSource,
            Arbiter arbiter,
            @Nullable NodeLease lease,
            @Nullable ConnectionPermits permits,
            GuardedTransactions transactions) {
        this.name = name;
        this.dataSourceName = dataSourceName;
        this.manager = manager;
        this.dataSource = dataSource;
        this.arbiter = arbiter;
        this.lease = lease;
        this.permits = permits;
        reachability = new Reachability(dataSourceName, dataSource);
        tables = new OwnTables(dataSourceName, arbiter);
        this.transactions = transactions;
    }

    /** Why operations cannot be recorded in the database, a sentence for operators; null as far as they can. */
    public @Nullable String obstacle() {
        String unreachable = reachability.obstacle();
        return unreachable != null ? unreachable : tables.obstacle();
    }

    /** Whether recovery is complete, no other node blocks this one, the database responds, and fbf's tables seem usable. */
    public boolean isReady() {
        return arbiter.isReady()
                && reachability.obstacle() == null
                && tables.seemUsable()
                && (lease == null || lease.admitsAll());
    }

    /** Permits for a scope's operations to use a connection; null if the size of the pool is not known. */
    public ConnectionPermits.@Nullable Share permits(String scope) {
        return permits == null ? null : permits.share(scope);
    }

    /** Whether this thread has a connection already, in a transaction that is open or suspended. */
    public boolean hasConnection() {
        return transactions.current() != null || TransactionSynchronizationManager.hasResource(dataSource);
    }

    /** The open transaction of this thread; null if there is none. */
    @Nullable GuardedTransaction transaction() {
        GuardedTransaction current = transactions.current();
        return current != null
                        && !current.isCompleted()
                        && TransactionSynchronizationManager.isActualTransactionActive()
                        && TransactionSynchronizationManager.hasResource(dataSource)
                ? current
                : null;
    }

    /** Whether an operation is part of {@link #transaction()}, whatever has become of its work. */
    public boolean isHeldByTransaction(OperationId id) {
        GuardedTransaction current = transaction();
        return current != null && current.holds(id);
    }

    /** Whether this thread's transaction has applied an operation, if it commits. */
    public boolean isInTransaction(OperationId id) {
        GuardedTransaction current = transactions.current();
        return current != null && current.applies(id);
    }

    /** Whether an open transaction of this thread, or one that is suspended, holds an operation. */
    public boolean isHeldByThisThread(OperationId id) {
        return transactions.hold(id);
    }

    /** Whether an operation of this thread's transaction was asked for by a request like this one, as far as that is known. */
    public boolean isOfRequest(OperationId id, long fingerprint) {
        GuardedTransaction current = transactions.current();
        Long known = current == null ? null : current.fingerprint(id);
        return known == null || known == fingerprint;
    }

    /** Ends the transactions whose end their manager has not reported, so that their operations are settled; returns whether there was one. */
    public boolean endAbandoned() {
        return transactions.endAbandoned();
    }

    /** The open transactions that have applied operations, the oldest first. */
    public List<NodeStatus.OpenTransaction> openTransactions() {
        return transactions.withOperations.stream()
                .map(open ->
                        new NodeStatus.OpenTransaction(name, open.thread.getName(), open.operations.size(), open.since))
                .sorted(Comparator.comparing(NodeStatus.OpenTransaction::since))
                .toList();
    }

    /** What is done on a connection. */
    @FunctionalInterface
    public interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /** Does work on the connection of this thread's transaction, or on one of its own. */
    public <T> T inConnection(String task, Work<T> work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return work.with(connection);
        } catch (SQLException e) {
            throw translate(task, e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Translates a driver's exception as Spring's JDBC support does. */
    public static DataAccessException translate(String task, SQLException e) {
        DataAccessException translated = TRANSLATOR.translate(task, null, e);
        return translated == null ? new UncategorizedSQLException(task, null, e) : translated;
    }

    /**
     * Returns the refusal if an fbf statement, whose translated failure this is, can be repeated later: the connection is missing or
     * broken, or fbf's tables cannot be used. Null for other failures.
     */
    public @Nullable Refusal unavailability(Throwable failure) {
        boolean isUnreachable = failure instanceof DataAccessResourceFailureException
                || failure instanceof TransientDataAccessResourceException
                || failure instanceof RecoverableDataAccessException;
        return isUnreachable ? Refusal.UNREACHABLE : unrecordability(failure);
    }

    /** {@link Refusal#UNRECORDABLE} if a failure came about because fbf's tables cannot be used; else null. */
    @Nullable Refusal unrecordability(Throwable failure) {
        return tables.areReasonFor(failure) ? Refusal.UNRECORDABLE : null;
    }

    /** Whether a failure came from a database, or from a transaction. */
    static boolean isIn(Throwable failure) {
        return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(cause -> cause instanceof SQLException
                        || cause instanceof DataAccessException
                        || cause instanceof TransactionException);
    }

    /** The transaction that the manager has begun on this thread. */
    GuardedTransaction currentTransaction() {
        GuardedTransaction current = transactions.current();
        if (current == null) {
            throw new IllegalStateException(
                    "transactionManager=" + name + ": this thread's transaction was not begun by"
                            + " it. Begin it with Spring, or let the guarded method begin its own.");
        }
        return current;
    }

    /** The connection of this thread's transaction. From now on a COMMIT or ROLLBACK of the method's own is noticed. */
    TransactionConnection currentConnection() throws SQLException {
        // others, as those of JPA, do not get their connections from the holder
        return manager instanceof DataSourceTransactionManager
                ? PreludeConnectionHolder.current(dataSource)
                : TransactionConnection.shared(connectionOfTransaction());
    }

    /**
     * The connection that the manager itself has bound: asked for another one, Spring would give one that nobody commits. It binds
     * such a one too, and notes that to release it at the end of the transaction.
     */
    private Connection connectionOfTransaction() {
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && !holder.isSynchronizedWithTransaction()) {
            return holder.getConnection();
        }
        throw new IllegalStateException(
                "transactionManager=" + name + ": its transaction does not show its connection of the"
                        + " data source " + dataSourceName
                        + ", so the operation would not be part of it, and was not applied. Set a"
                        + " JpaDialect that shows it, as HibernateJpaDialect does, or name a JDBC transaction manager with"
                        + " @IdempotentIncrement(transactionManager = \"…\").");
    }
}
