package dev.fbf.spring.transaction;

import static java.util.Objects.requireNonNull;

import dev.fbf.core.OperationId;
import dev.fbf.core.StorageException;
import dev.fbf.core.claim.Refusal;
import dev.fbf.db.FbfSchema;
import dev.fbf.db.OperationStore;
import dev.fbf.db.Reachability;
import dev.fbf.db.StoreException;
import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.connection.TransactionConnection;
import dev.fbf.db.ledger.LedgerStore;
import dev.fbf.spring.operation.OperationSettings;
import dev.fbf.spring.operation.Refusals;
import dev.fbf.spring.operation.ScopeDefinition;
import dev.fbf.spring.operation.StartException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
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
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** Transaction manager whose transactions apply operations, with the store of its database. */
public abstract class GuardedDatabase {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private static final DefaultTransactionDefinition READ_ONLY = new DefaultTransactionDefinition();

    static {
        READ_ONLY.setReadOnly(true);
    }

    private static final boolean HIBERNATE = Stream.of(
                    "org.springframework.orm.jpa.EntityManagerHolder",
                    "org.hibernate.engine.spi.SharedSessionContractImplementor")
            .allMatch(name -> ClassUtils.isPresent(name, GuardedDatabase.class.getClassLoader()));

    /** The transaction manager's name, also in meters and logs. */
    protected final String name;

    protected final Reachability reachability;
    final PlatformTransactionManager manager;
    final DataSource dataSource;
    final GuardedTransactions transactions;

    /**
     * Transaction manager of a database, with its data source and its transactions.
     *
     * @param name the manager's name
     * @param schema the schema that contains fbf's tables
     */
    public record Managed(
            String name,
            PlatformTransactionManager manager,
            DataSource dataSource,
            GuardedTransactions transactions,
            FbfSchema schema) {

        /** Returns whether the manager does nothing at COMMIT besides the connection's. */
        public boolean isPlain() {
            return manager instanceof DataSourceTransactionManager;
        }
    }

    /** Creates a database, to be started and closed. */
    protected GuardedDatabase(Managed managed) {
        name = managed.name;
        manager = managed.manager;
        dataSource = managed.dataSource;
        transactions = managed.transactions;
        reachability = new Reachability(name, dataSource);
    }

    /** Returns the store that decides on operations. */
    protected abstract OperationStore store();

    /** Checks fbf's tables. */
    protected void check(Connection connection) throws SQLException {
        store().check(connection);
    }

    /** Starts the background threads. */
    protected abstract void start();

    /**
     * Registers this process in a scope.
     *
     * @throws StartException if the scope's operations must not be applied here
     */
    protected abstract void register(OperationSettings settings, ScopeDefinition scope);

    /** Called before counters in {@code fbf_counter} are used. */
    protected void useOwnCounters() {}

    /** Called after a scope was opened whose operations the database may have. */
    protected void scopeOpened() {}

    /** Called when this process applies operations again after {@link #end}. */
    protected void resume() {}

    /** Called when this process applies no operations any more. */
    protected void end() {}

    protected void close() {
        store().close();
        reachability.close();
    }

    /** Returns the reason why operations cannot be recorded in the database, as a sentence for operators; null if they can. */
    protected @Nullable String obstacle() {
        return reachability.obstacle();
    }

    /** Returns the reasons why operations are refused, except {@link #obstacle}, as sentences for operators. */
    protected abstract List<String> refusals();

    /** Returns whether operations are admitted, as far as known. */
    protected boolean isReady() {
        return obstacle() == null && refusals().isEmpty();
    }

    /** Returns whether COMMIT of this thread's transaction applies an operation. */
    protected boolean transactionApplies(OperationId id) {
        GuardedTransaction current = transactions.current();
        return current != null && current.applies(id);
    }

    /** Returns the transactions in doubt; none if retries find the outcome. */
    protected List<NodeStatus.InDoubt> inDoubt() {
        return List.of();
    }

    /** Decides on a transaction in doubt; returns whether this call decided it. */
    protected boolean decide(String transaction, boolean applied) {
        return false;
    }

    /** Returns whether this thread keeps a connection, in a transaction or in a session: it must not take a second one. */
    public final boolean holdsConnection() {
        return TransactionSynchronizationManager.hasResource(dataSource) || (HIBERNATE && isInSession());
    }

    /**
     * Returns whether a session of the whole request, as spring.jpa.open-in-view opens it, keeps a connection: that of its first transaction,
     * until the request ends.
     */
    private boolean isInSession() {
        return manager instanceof ResourceTransactionManager resource
                && TransactionSynchronizationManager.getResource(resource.getResourceFactory())
                        instanceof EntityManagerHolder holder
                && holder.getEntityManager().getDelegate() instanceof SharedSessionContractImplementor session
                && session.getJdbcCoordinator().getLogicalConnection().isPhysicallyConnected();
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

    /** Runs work on the connection that this thread keeps, or on a new one. */
    final <T> T inConnection(String task, LedgerStore.Question<T> work) {
        try {
            return requireNonNull(ask(work));
        } catch (SQLException e) {
            throw translate(task, e);
        }
    }

    /** Asks on the connection of this thread's transaction, in a transaction on that of its session, or on a new connection. */
    public final <T> @Nullable T ask(LedgerStore.Question<T> question) throws SQLException {
        if (TransactionSynchronizationManager.hasResource(dataSource)) {
            return askInTransaction(question);
        }
        if (holdsConnection()) {
            return askInSession(question);
        }
        try (Connection connection = dataSource.getConnection()) {
            return question.ask(connection);
        }
    }

    private <T> @Nullable T askInTransaction(LedgerStore.Question<T> question) throws SQLException {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return question.ask(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Asks in a transaction that the manager begins; read-only, so that COMMIT does not flush the session. */
    private <T> @Nullable T askInSession(LedgerStore.Question<T> question) throws SQLException {
        try {
            TransactionStatus transaction = manager.getTransaction(READ_ONLY);
            @Nullable T answer;
            try {
                answer = askInTransaction(question);
            } catch (Throwable e) {
                manager.rollback(transaction);
                throw e;
            }
            manager.commit(transaction);
            return answer;
        } catch (TransactionException e) {
            throw new SQLTransientConnectionException(e);
        }
    }

    /** Translates a driver's exception as Spring's JDBC support does. */
    static DataAccessException translate(String task, SQLException e) {
        DataAccessException translated = TRANSLATOR.translate(task, null, e);
        return translated == null ? new UncategorizedSQLException(task, null, e) : translated;
    }

    /**
     * Returns the refusal for a failure of a look-up or a group that can be repeated later: the connection is missing or broken, or a
     * statement of fbf has failed. Null for other failures.
     */
    final @Nullable Refusal unavailability(Throwable failure) {
        boolean isUnreachable = failure instanceof DataAccessResourceFailureException
                || failure instanceof TransientDataAccessResourceException
                || failure instanceof RecoverableDataAccessException;
        return isUnreachable ? Refusal.UNREACHABLE : unrecordability(failure);
    }

    /** Returns the exception for a failed query of a call that applied nothing: a refusal if the database or a file is the reason. */
    final RuntimeException undecided(String scope, RuntimeException failure) {
        Refusal reason = failure instanceof StorageException ? Refusal.FAILED : unavailability(failure);
        return reason == null ? failure : Refusals.of(reason, scope, failure);
    }

    /** Returns the refusal for a failure whose cause is a statement of fbf; otherwise null. */
    final @Nullable Refusal unrecordability(Throwable failure) {
        return SqlFailures.causes(failure)
                .filter(StoreException.class::isInstance)
                .findFirst()
                .map(cause -> ((StoreException) cause).refusal())
                .orElse(null);
    }

    /** Returns whether a failure came from a database or a transaction. */
    static boolean isIn(Throwable failure) {
        return SqlFailures.causes(failure)
                .anyMatch(cause -> cause instanceof SQLException
                        || cause instanceof DataAccessException
                        || cause instanceof TransactionException);
    }

    /** Returns the exception for a transaction of this thread that the manager has not reported. */
    IllegalStateException noTransaction() {
        return new IllegalStateException("transactionManager=" + name
                + ": it did not begin this thread's transaction, or began it before the first scope of this"
                + " manager was opened. Begin it with Spring, after the scope was declared, or let the guarded method"
                + " begin a new one.");
    }

    /**
     * Returns the connection that the manager itself has bound. Asking Spring for one could create and bind another connection, which is
     * not committed. Spring marks such a connection as synchronized with the transaction, and only releases it at its end; a JDBC manager
     * marks its own.
     */
    final TransactionConnection currentConnection() throws SQLException {
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && (manager instanceof DataSourceTransactionManager || !holder.isSynchronizedWithTransaction())) {
            return new TransactionConnection(holder.getConnection());
        }
        throw new IllegalStateException("transactionManager=" + name
                + ": its transaction does not expose the connection of its data source"
                + ", so the operation would not be part of it, and was not applied. Set a JpaDialect that"
                + " exposes it, as HibernateJpaDialect does, or name a JDBC transaction manager with"
                + " @IdempotentIncrement(transactionManager = \"…\").");
    }
}
