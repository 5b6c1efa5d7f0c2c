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
 * Replacement of the connection holder that a transaction manager has bound to this thread. All code that asks for the transaction's
 * connection then gets one that sends preludes with its statements. Spring treats both connections as equal: code that already has the
 * original connection returns it to the transaction without closing it. At the end of the transaction, the manager unbinds this holder, and
 * releases the original, to which it has a reference.
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

    /** Returns the connection of this thread's transaction. The manager binds it by data source. */
    static TransactionConnection current(DataSource dataSource) throws SQLException {
        ConnectionHolder bound =
                Objects.requireNonNull((ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource));
        if (bound instanceof PreludeConnectionHolder holder) {
            return holder.connection;
        }
        TransactionConnection connection = new TransactionConnection(bound.getConnection(), ConnectionProxy.class);
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

    /** Delegates: the original holder numbers the savepoints. */
    @Override
    public Savepoint createSavepoint() throws SQLException {
        connection.flush();
        return original.createSavepoint();
    }
}
