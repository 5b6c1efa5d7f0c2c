package dev.fbf.spring.jdbc;

import dev.fbf.db.connection.TransactionConnection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Takes the place of the one that a transaction manager has bound to this thread, so that all code that asks for the
 * transaction's connection gets one whose statements take a prelude along. Spring takes it for the connection that it stands for: code that
 * has got that one before gives it back to the transaction, and does not close it. It ends with the transaction: the manager
 * unbinds whatever is bound, and has kept its own.
 */
final class PreludeConnectionHolder extends ConnectionHolder {

    private final ConnectionHolder original;
    private final TransactionConnection connection;

    private PreludeConnectionHolder(ConnectionHolder original, TransactionConnection connection) {
        super(connection.forCaller(), true);
        this.original = original;
        this.connection = connection;
        setSynchronizedWithTransaction(original.isSynchronizedWithTransaction());
        if (original.hasTimeout()) {
            setTimeoutInMillis(original.getTimeToLiveInMillis());
        }
    }

    /** The connection of this thread's transaction, whose manager binds it by its data source. */
    static TransactionConnection current(DataSource dataSource) throws SQLException {
        ConnectionHolder bound =
                Objects.requireNonNull((ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource));
        if (bound instanceof PreludeConnectionHolder holder) {
            return holder.connection;
        }
        TransactionConnection connection = TransactionConnection.over(bound.getConnection(), ConnectionProxy.class);
        if (connection.takesPreludes()) {
            TransactionSynchronizationManager.unbindResource(dataSource);
            TransactionSynchronizationManager.bindResource(dataSource, new PreludeConnectionHolder(bound, connection));
        }
        return connection;
    }

    /** Delegates: participants set the mark here, and the code that began the transaction reads it from the original holder. */
    @Override
    public void setRollbackOnly() {
        original.setRollbackOnly();
    }

    @Override
    public void resetRollbackOnly() {
        original.resetRollbackOnly();
    }

    @Override
    public boolean isRollbackOnly() {
        return original.isRollbackOnly();
    }

    /** By the one whose count makes the names. */
    @Override
    public Savepoint createSavepoint() throws SQLException {
        connection.flush();
        return original.createSavepoint();
    }
}
