package dev.fbf.spring;

import dev.fbf.db.PreludeConnection;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The connection of a thread's transaction. */
final class TransactionConnection {

    private final Connection connection;
    private final Binding binding;

    private @Nullable PreludeConnection preludes;

    /** Puts a connection that takes preludes along in the place of the transaction's. */
    interface Binding {
        /** Returns null if there is no way. */
        @Nullable PreludeConnection bind() throws SQLException;
    }

    TransactionConnection(Connection connection, @Nullable PreludeConnection bound, Binding binding) {
        this.connection = connection;
        this.preludes = bound;
        this.binding = binding;
    }

    /** As the transaction's manager has it. */
    Connection connection() {
        return connection;
    }

    /** What those who take part in the transaction get from now on; null if they always get the same as its manager. */
    @Nullable PreludeConnection preludes() throws SQLException {
        if (preludes == null) {
            preludes = binding.bind();
        }
        return preludes;
    }

    /** Sends what was to go with the next statement. */
    void flush() throws SQLException {
        if (preludes != null) {
            preludes.flush();
        }
    }
}
