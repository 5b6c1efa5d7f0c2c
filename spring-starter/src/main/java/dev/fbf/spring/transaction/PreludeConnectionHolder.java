package dev.fbf.spring.transaction;

import dev.fbf.db.PreludeConnection;
import dev.fbf.db.TransactionConnection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Takes the place of the one that a transaction manager has bound to this thread, so that whoever asks for the
 * transaction's connection gets one whose statements take a prelude along. It ends with the transaction: the manager
 * unbinds whatever is bound, and has kept its own.
 */
final class PreludeConnectionHolder extends ConnectionHolder {

    private final ConnectionHolder original;
    private final PreludeConnection preludes;

    private PreludeConnectionHolder(ConnectionHolder original, PreludeConnection preludes) {
        super(preludes.forCaller(), true);
        this.original = original;
        this.preludes = preludes;
        setSynchronizedWithTransaction(original.isSynchronizedWithTransaction());
        if (original.hasTimeout()) {
            setTimeoutInMillis(original.getTimeToLiveInMillis());
        }
    }

    /** The connection of this thread's transaction, whose manager binds it by its data source. */
    static TransactionConnection current(DataSource dataSource) {
        ConnectionHolder bound =
                Objects.requireNonNull((ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource));
        return bound instanceof PreludeConnectionHolder holder
                ? new TransactionConnection(holder.original.getConnection(), holder.preludes, () -> holder.preludes)
                : new TransactionConnection(bound.getConnection(), null, () -> replace(dataSource, bound));
    }

    private static @Nullable PreludeConnection replace(DataSource dataSource, ConnectionHolder original)
            throws SQLException {
        PreludeConnection preludes = original instanceof LazyConnectionHolder
                ? PreludeConnection.overPgjdbc(original.getConnection())
                : PreludeConnection.over(original.getConnection());
        if (preludes != null) {
            TransactionSynchronizationManager.unbindResource(dataSource);
            TransactionSynchronizationManager.bindResource(dataSource, new PreludeConnectionHolder(original, preludes));
        }
        return preludes;
    }

    /** Who takes part in the transaction spoils it for the one who began it, and looks there. */
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
        preludes.flush();
        return original.createSavepoint();
    }
}
