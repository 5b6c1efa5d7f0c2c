package dev.fbf.db;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The connection of a thread's transaction. No more thread-safe than that. */
public final class TransactionConnection {

    private final Connection connection;
    private final Binding binding;

    private @Nullable PreludeConnection preludes;

    /** Puts a connection that takes preludes along in the place of the transaction's. */
    @FunctionalInterface
    public interface Binding {

        /**
         * Binds it.
         *
         * @return null if that is not possible
         * @throws SQLException if it fails
         */
        @Nullable PreludeConnection bind() throws SQLException;
    }

    /**
     * Describes the connection of a transaction.
     *
     * @param connection as the transaction's manager has it
     * @param bound takes preludes along, if one is bound already
     * @param binding binds one
     */
    public TransactionConnection(Connection connection, @Nullable PreludeConnection bound, Binding binding) {
        this.connection = connection;
        this.preludes = bound;
        this.binding = binding;
    }

    /**
     * Returns the connection as the transaction's manager has it.
     *
     * @return the connection
     */
    public Connection connection() {
        return connection;
    }

    /**
     * Returns what those that take part in the transaction get from now on.
     *
     * @return null if they always get the same as its manager
     * @throws SQLException if it cannot be bound
     */
    public @Nullable PreludeConnection preludes() throws SQLException {
        if (preludes == null) {
            preludes = binding.bind();
        }
        return preludes;
    }

    /**
     * Tells whether the caller's code may have committed the transaction in its manager's stead. To be asked before the
     * manager's rollback.
     *
     * @return whether it may have; what it does by another driver than PostgreSQL's own, over a connection that takes no
     *     preludes along, is not noticed
     */
    public boolean mayHaveCommitted() {
        if (preludes != null && preludes.mayHaveCommitted()) {
            return true;
        }
        try {
            return (preludes == null || !preludes.isWaiting()) && OpenTransaction.hasEnded(connection);
        } catch (SQLException e) {
            return true; // the connection is broken: the rollback fails, too
        }
    }

    /**
     * Tells whether the caller's code has rolled the transaction back in its manager's stead, so that it must not commit.
     *
     * @return whether it has; over a connection that takes no preludes along, that is not noticed
     */
    public boolean wasRolledBack() {
        return preludes != null && preludes.wasRolledBack();
    }

    /**
     * Sends what was to go with the next statement.
     *
     * @throws SQLException if that fails
     */
    public void flush() throws SQLException {
        if (preludes != null) {
            preludes.flush();
        }
    }
}
