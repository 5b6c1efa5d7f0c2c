package dev.fbf.spring.jdbc;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.Arbiter;
import dev.fbf.db.Reachability;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.node.NodeLease;
import dev.fbf.spring.operation.Refusals;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
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
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** Transaction manager whose transactions apply operations, with the arbiter of its database. */
final class GuardedDatabase {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private static final boolean HIBERNATE = Stream.of(
                    "org.springframework.orm.jpa.EntityManagerHolder",
                    "org.hibernate.engine.spi.SharedSessionContractImplementor")
            .allMatch(name -> ClassUtils.isPresent(name, GuardedDatabase.class.getClassLoader()));

    /** The transaction manager's name, which identifies the claims' database. */
    final String name;

    /** Unique name of the database in meters and most logs; settlement logs {@link #name}. */
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

    /** Returns the reason why operations cannot be recorded in the database, as a sentence for operators; null if they can. */
    @Nullable String obstacle() {
        String unreachable = reachability.obstacle();
        return unreachable != null ? unreachable : tables.obstacle();
    }

    /** Returns whether the arbiter and the leases admit operations, the database responds, and fbf's tables seem usable. */
    boolean isReady() {
        return arbiter.isReady()
                && reachability.obstacle() == null
                && tables.seemUsable()
                && (lease == null || lease.admitsAll());
    }

    /** Returns a scope's share of the connection permits; null if the size of the pool is unknown. */
    ConnectionPermits.@Nullable Share permits(String scope) {
        return permits == null ? null : permits.share(scope);
    }

    /** Returns whether this thread already has a connection, in an open or suspended transaction, or in a session that keeps it. */
    boolean hasConnection() {
        return transactions.current() != null
                || TransactionSynchronizationManager.hasResource(dataSource)
                || (HIBERNATE && OpenSession.hasConnection(manager));
    }

    /**
     * Session of a whole request, as spring.jpa.open-in-view opens it. It keeps the connection of its first transaction until the request
     * ends. Separate class, loaded only if Hibernate is present.
     */
    private static final class OpenSession {

        static boolean hasConnection(PlatformTransactionManager manager) {
            return manager instanceof ResourceTransactionManager resource
                    && TransactionSynchronizationManager.getResource(resource.getResourceFactory())
                            instanceof EntityManagerHolder holder
                    && holder.getEntityManager().getDelegate() instanceof SharedSessionContractImplementor session
                    && session.getJdbcCoordinator().getLogicalConnection().isPhysicallyConnected();
        }
    }

    /** Returns the open transaction of this thread; null if there is none. */
    @Nullable GuardedTransaction openTransaction() {
        GuardedTransaction current = transactions.current();
        return current != null
                        && !current.isCompleted()
                        && TransactionSynchronizationManager.isActualTransactionActive()
                        && TransactionSynchronizationManager.hasResource(dataSource)
                ? current
                : null;
    }

    /** Returns whether COMMIT of this thread's transaction applies an operation. */
    boolean transactionApplies(OperationId id) {
        GuardedTransaction current = transactions.current();
        return current != null && current.applies(id);
    }

    /** Returns the open transactions that apply operations if they commit, the oldest first. */
    List<NodeStatus.OpenTransaction> openTransactions() {
        return transactions.withOperations.stream()
                .map(open -> new NodeStatus.OpenTransaction(name, open.thread.getName(), open.size(), open.since))
                .sorted(Comparator.comparing(NodeStatus.OpenTransaction::since))
                .toList();
    }

    /** Work on a connection. */
    @FunctionalInterface
    interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    /** Runs work on the connection of this thread's transaction, or on a new one. */
    <T> T inConnection(String task, Work<T> work) {
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
    static DataAccessException translate(String task, SQLException e) {
        DataAccessException translated = TRANSLATOR.translate(task, null, e);
        return translated == null ? new UncategorizedSQLException(task, null, e) : translated;
    }

    /**
     * Returns the refusal for a failure of an fbf statement that can be repeated later: the connection is missing or broken, or fbf's
     * tables cannot be used. Null for other failures.
     */
    @Nullable Refusal unavailability(Throwable failure) {
        boolean isUnreachable = failure instanceof DataAccessResourceFailureException
                || failure instanceof TransientDataAccessResourceException
                || failure instanceof RecoverableDataAccessException;
        return isUnreachable ? Refusal.UNREACHABLE : unrecordability(failure);
    }

    /** Returns the exception for a failed query of a call that applied nothing: a refusal if the database or a file is the reason. */
    RuntimeException undecided(String scope, RuntimeException failure) {
        Refusal reason = failure instanceof StorageException ? Refusal.FAILED : unavailability(failure);
        return reason == null ? failure : Refusals.of(reason, scope, failure);
    }

    /** Returns {@link Refusal#UNRECORDABLE} for a failure caused by unusable tables of fbf; otherwise null. */
    @Nullable Refusal unrecordability(Throwable failure) {
        return tables.areReasonFor(failure) ? Refusal.UNRECORDABLE : null;
    }

    /** Returns whether a failure came from a database or a transaction. */
    static boolean isIn(Throwable failure) {
        return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(cause -> cause instanceof SQLException
                        || cause instanceof DataAccessException
                        || cause instanceof TransactionException);
    }

    /** Returns the transaction that the manager has begun on this thread. */
    GuardedTransaction requireTransaction() {
        GuardedTransaction current = transactions.current();
        if (current == null) {
            throw new IllegalStateException("transactionManager=" + name
                    + ": it did not begin this thread's transaction, or began it before the first scope of this"
                    + " manager was opened. Begin it with Spring, after the scope was declared, or let the guarded method"
                    + " begin a new one.");
        }
        return current;
    }

    /** Returns the connection of this thread's transaction. */
    TransactionConnection currentConnection() throws SQLException {
        // other managers, such as JPA's, do not get their connections from the holder
        return manager instanceof DataSourceTransactionManager
                ? PreludeConnectionHolder.current(dataSource)
                : new TransactionConnection(connectionOfTransaction(), null);
    }

    /**
     * Returns the connection that the manager itself has bound. Asking Spring for one could create and bind another connection, which is
     * not committed. Spring marks such a connection as synchronized with the transaction, and only releases it at its end.
     */
    private Connection connectionOfTransaction() {
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && !holder.isSynchronizedWithTransaction()) {
            return holder.getConnection();
        }
        throw new IllegalStateException("transactionManager=" + name
                + ": its transaction does not expose its connection of the data source " + dataSourceName
                + ", so the operation would not be part of it, and was not applied. Set a JpaDialect that"
                + " exposes it, as HibernateJpaDialect does, or name a JDBC transaction manager with"
                + " @IdempotentIncrement(transactionManager = \"…\").");
    }
}
