package dev.fbf.db.group;

import dev.fbf.db.connection.SqlFailures;
import dev.fbf.db.counter.CounterTable;
import dev.fbf.db.group.GroupCommit.Wait;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The statement of a group: a transaction of its own, whose isolation does not depend on the connection's default. It waits
 * for at most one row lock: that of the counter in its {@code Wait}, if it is given one.
 */
public final class GroupStatement implements AutoCloseable {

    /*
     * The driver sends all statements at once, and in autocommit the server executes statements that arrive together as one
     * transaction. The settings end with it: the next transaction has the defaults again.
     *
     * The awaited row is locked by a statement of its own, before any other row. The next statement sees the changes that were
     * committed during the wait.
     */
    private static final String READ_COMMITTED = "SET transaction_isolation = 'read committed'; ";

    private static final String BOUNDED = "SELECT set_config('lock_timeout', ?, true); ";

    private final PreparedStatement statement;
    private final boolean waits;

    private GroupStatement(PreparedStatement statement, boolean waits) {
        this.statement = statement;
        this.waits = waits;
    }

    /** The statement {@code sql}, which adds to {@code counters}. */
    public static GroupStatement prepare(Connection connection, String sql, CounterTable counters, @Nullable Wait wait)
            throws SQLException {
        String waiting = wait == null ? "" : BOUNDED + counters.sql().lockingOne() + "; ";
        PreparedStatement statement = connection.prepareStatement(READ_COMMITTED + waiting + sql);
        CounterTable.limit(statement);
        if (wait != null) {
            statement.setString(1, Math.max(1, wait.timeout().toMillis()) + "ms");
            statement.setString(2, wait.counter());
        }
        return new GroupStatement(statement, wait != null);
    }

    public PreparedStatement statement() {
        return statement;
    }

    /** How many parameters there are before those of its SQL. */
    public int offset() {
        return waits ? 2 : 0;
    }

    /** Executes it; its transaction has committed when this returns the rows. */
    public ResultSet execute() throws SQLException {
        statement.execute();
        SqlFailures.requireReplicated(statement.getWarnings());
        int statementsBefore = waits ? 3 : 1;
        for (int i = 0; i < statementsBefore; i++) {
            statement.getMoreResults();
        }
        return statement.getResultSet();
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }
}
