package dev.fbf.db.connection;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Statement that fbf executes before the caller's statements in a transaction: separately, or together with the caller's first statement
 * over a {@link TransactionConnection}. It must change exactly one row of an fbf table; otherwise the transaction can only roll back.
 *
 * <p>Serves one transaction. Not thread-safe.
 */
public final class Prelude {

    private static final String INTEGRITY_VIOLATION = "23";

    private final String schema;
    private final String table;
    final String sql;
    private final Binder binder;

    /**
     * WAITING -> SENT      its statement has changed its row
     * WAITING -> REFUSED   it could not: the transaction can only roll back
     * SENT    -> WAITING   the transaction goes back to a savepoint before it
     */
    private enum State {
        WAITING,
        SENT,
        REFUSED
    }

    private State state = State.WAITING;

    /** Setter of the first parameters of a statement. */
    public interface Binder {
        /** Returns the number of parameters. */
        int bind(PreparedStatement statement) throws SQLException;
    }

    public Prelude(String schema, String table, String sql, Binder binder) {
        this.schema = schema;
        this.table = table;
        this.sql = sql;
        this.binder = binder;
    }

    /** Returns whether the prelude could not change its row. Then the transaction can only roll back. */
    public boolean isRefused() {
        return state == State.REFUSED;
    }

    boolean isSent() {
        return state == State.SENT;
    }

    /** Makes the prelude pending again, because a rollback to a savepoint has undone it. */
    void repeat() {
        state = state == State.SENT ? State.WAITING : state;
    }

    /** Executes the prelude without the caller's first statement. */
    public void executeAlone(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement);
            execute(statement);
        }
    }

    /** Executes a statement that begins with the prelude. If this fails, the prelude stays pending, or is refused. */
    void execute(PreparedStatement statement) throws SQLException {
        try {
            statement.execute();
        } catch (SQLException e) {
            throw failed(e);
        }
        if (statement.getUpdateCount() != 1) {
            state = State.REFUSED;
            throw refusal(null);
        }
        state = State.SENT;
    }

    /** Sets the prelude's parameters; returns their number. */
    int bind(PreparedStatement statement) throws SQLException {
        if (state == State.REFUSED) {
            throw refusal(null);
        }
        return binder.bind(statement);
    }

    /** Returns the exception for a failure of the prelude, or of the statement that came with it. */
    private SQLException failed(SQLException e) {
        if (violates(e)) {
            state = State.REFUSED;
            return refusal(e);
        }
        return SqlFailures.explained(e, table);
    }

    private SQLException refusal(@Nullable SQLException cause) {
        return new SQLTransactionRollbackException(
                "fbf could not record the operation in " + table + ", so its transaction must roll back",
                "40000",
                cause);
    }

    /** Returns whether the prelude violated a constraint. The caller's statement cannot violate it: only fbf writes to that table. */
    private boolean violates(SQLException e) {
        ServerErrorMessage message = e instanceof PSQLException known ? known.getServerErrorMessage() : null;
        return message != null
                && table.equals(message.getTable())
                && schema.equals(message.getSchema())
                && e.getSQLState() != null
                && e.getSQLState().startsWith(INTEGRITY_VIOLATION);
    }
}
